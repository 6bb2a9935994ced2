import type { Actor, Change, Mode, RecordContext } from './fact.js';

export type Plan = 'free' | 'pro' | 'enterprise';

export type Scope = 'events:read' | 'events:write' | 'webhooks:read' | 'webhooks:write';

/** What the log keeps of an API key: everything but the secret itself, of which only a hash is there. */
export interface ApiKeyCreated {
  readonly keyId: string;
  readonly name: string;
  readonly mode: Mode;
  /** Null for a full key. */
  readonly scopes: readonly Scope[] | null;
  readonly expiresAt: Date | null;
  /** SHA-256 of the secret, in hexadecimal. The secret holds 256 random bits, so that no slow hash is needed. */
  readonly hash: string;
  /** `sk_live_` or `sk_test_`. */
  readonly prefix: string;
  readonly last4: string;
  readonly actor: Actor;
}

interface PlanTerms {
  readonly plan: Plan;
  /** Requests a second in each mode. */
  readonly requestsPerSecond: number;
}

export type AccountFact =
  | {
      readonly type: 'postrider.account.created';
      readonly value: PlanTerms & { readonly name: string; readonly email: string; readonly actor: Actor };
    }
  | {
      readonly type: 'postrider.account.plan-changed';
      readonly value: {
        readonly changes: { readonly plan: Change<Plan>; readonly requestsPerSecond: Change<number> };
        readonly actor: Actor;
      };
    }
  | { readonly type: 'postrider.api-key.created'; readonly value: ApiKeyCreated }
  | {
      readonly type: 'postrider.api-key.deleted';
      readonly value: { readonly keyId: string; readonly actor: Actor };
    };

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly mode: Mode;
  readonly scopes: readonly Scope[] | null;
  readonly expiresAt: Date | null;
  readonly hash: string;
  readonly prefix: string;
  readonly last4: string;
  readonly created: Date;
}

export interface Account extends PlanTerms {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly created: Date;
  readonly apiKeys: readonly ApiKey[];
  /** Ids of keys that are gone: a creation met again must not bring one back. */
  readonly deletedApiKeys: readonly string[];
}

/** An account after one more fact. Facts about an account that was never created change nothing. */
export function evolveAccount(
  state: Account | null,
  fact: AccountFact & { readonly context: RecordContext },
): Account | null {
  if (fact.type === 'postrider.account.created') {
    return state ?? createdAccount(fact.value, fact.context);
  }
  if (state === null) {
    return null;
  }
  switch (fact.type) {
    case 'postrider.account.plan-changed':
      return {
        ...state,
        plan: fact.value.changes.plan.to,
        requestsPerSecond: fact.value.changes.requestsPerSecond.to,
      };
    case 'postrider.api-key.created':
      return withApiKey(state, fact.value, fact.context);
    case 'postrider.api-key.deleted':
      return withoutApiKey(state, fact.value.keyId);
    default: {
      const never: never = fact;
      return never;
    }
  }
}

function createdAccount(
  value: Extract<AccountFact, { type: 'postrider.account.created' }>['value'],
  context: RecordContext,
): Account {
  return {
    id: context.key,
    name: value.name,
    email: value.email,
    plan: value.plan,
    requestsPerSecond: value.requestsPerSecond,
    created: context.at,
    apiKeys: [],
    deletedApiKeys: [],
  };
}

function withApiKey(account: Account, value: ApiKeyCreated, context: RecordContext): Account {
  const isKnown =
    account.apiKeys.some(({ id }) => id === value.keyId) || account.deletedApiKeys.includes(value.keyId);
  if (isKnown) {
    return account;
  }
  const { keyId: id, name, mode, scopes, expiresAt, hash, prefix, last4 } = value;
  const apiKey = { id, name, mode, scopes, expiresAt, hash, prefix, last4, created: context.at };
  return { ...account, apiKeys: [...account.apiKeys, apiKey] };
}

function withoutApiKey(account: Account, keyId: string): Account {
  return {
    ...account,
    apiKeys: account.apiKeys.filter(({ id }) => id !== keyId),
    deletedApiKeys: account.deletedApiKeys.includes(keyId)
      ? account.deletedApiKeys
      : [...account.deletedApiKeys, keyId],
  };
}
