import type { Actor, Change, ClientTrace, Mode, RecordContext } from '../core/fact.js';
import type { ActionRecorded } from '../core/recordedAction.js';
import type { PortalSettings } from './portalSettings.js';
import { evolveUsers, type AccountUsers, type UserFact } from './user.js';

export type Plan = 'free' | 'pro' | 'enterprise';

/** The scopes of an API key. No scope lets a key manage keys or read the audit log. */
export const scopes = [
  'events:read',
  'events:write',
  'webhooks:read',
  'webhooks:write',
  'event-types:read',
  'event-types:write',
  'tenants:read',
  'tenants:write',
] as const;

export type Scope = (typeof scopes)[number];

/** The fields of an API key in the log. The log contains only a hash of the secret. */
export interface ApiKeyCreated {
  readonly keyId: string;
  readonly name: string;
  readonly mode: Mode;
  /** The scopes; null for a full key, which has every permission. */
  readonly scopes: readonly Scope[] | null;
  readonly expiresAt: Date | null;
  /**
   * SHA-256 of the key's secret, in hexadecimal. A fast hash is enough, because the secret contains 256 random bits.
   */
  readonly hash: string;
  /** The beginning of the key's secret: `sk_live_` or `sk_test_`. */
  readonly prefix: string;
  readonly last4: string;
  readonly actor: Actor;
}

export interface PlanTerms {
  readonly plan: Plan;
  /** The account's rate limit in each mode, in requests per second. */
  readonly requestsPerSecond: number;
}

export interface ApiKeyDeleted {
  readonly keyId: string;
  readonly name: string;
  readonly mode: Mode;
  readonly actor: Actor;
}

/** The first request with an API key. */
export interface ApiKeyFirstUsed {
  readonly keyId: string;
  readonly mode: Mode;
  readonly client: ClientTrace;
  readonly actor: Actor;
}

export interface AccountSettingsChanged {
  /** The changed settings. */
  readonly changes: { readonly portal?: Change<PortalSettings> | undefined };
  readonly actor: Actor;
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
  | { readonly type: 'postrider.account.settings-changed'; readonly value: AccountSettingsChanged }
  | { readonly type: 'postrider.account.suspended'; readonly value: { readonly actor: Actor } }
  | { readonly type: 'postrider.account.resumed'; readonly value: { readonly actor: Actor } }
  | { readonly type: 'postrider.account.deleted'; readonly value: { readonly actor: Actor } }
  | { readonly type: 'postrider.api-key.created'; readonly value: ApiKeyCreated }
  | { readonly type: 'postrider.api-key.deleted'; readonly value: ApiKeyDeleted }
  | { readonly type: 'postrider.api-key.first-used'; readonly value: ApiKeyFirstUsed }
  | { readonly type: 'postrider.action.recorded'; readonly value: ActionRecorded }
  | UserFact;

export interface ApiKey extends Omit<ApiKeyCreated, 'keyId' | 'actor'> {
  readonly id: string;
  readonly created: Date;
  /** The time of the API key's first recorded use; missing for an unused API key. */
  readonly firstUsedAt?: Date;
}

export interface Account extends PlanTerms, AccountUsers {
  readonly id: string;
  readonly isDeleted?: false;
  readonly name: string;
  readonly email: string;
  readonly created: Date;
  /** The API rejects the keys of a suspended account. Deliveries of events from before the suspension continue. */
  readonly isSuspended: boolean;
  /** How often the account was suspended. Each suspension of an account ends its sessions. */
  readonly suspensions: number;
  /** The settings of the customer portal; missing if they were never changed. */
  readonly portal?: PortalSettings;
  readonly apiKeys: readonly ApiKey[];
  /** The ids of the last deleted API keys. A duplicate record of a key's creation must not restore the deleted key. */
  readonly deletedApiKeys: readonly DeletedApiKey[];
}

/** What an account's document contains after the account was deleted. No later fact changes the document. */
export interface DeletedAccount {
  readonly id: string;
  readonly isDeleted: true;
  readonly deletedAt: Date;
}

export type AccountState = Account | DeletedAccount | null;

export interface DeletedApiKey {
  readonly id: string;
  readonly mode: Mode;
}

/**
 * The number of deleted API keys that an account's document retains, which limits the size of the document. A duplicate
 * record of a key's creation may follow the key's deletion, but never after so many further deletions.
 */
const rememberedDeletions = 1000;

/** An account after another fact. Facts about an unknown or deleted account change nothing. */
export function evolveAccount(
  state: AccountState,
  fact: AccountFact & { readonly context: RecordContext },
): AccountState {
  if (fact.type === 'postrider.account.deleted') {
    return state?.isDeleted === true ? state : deletedAccount(fact.context);
  }
  if (fact.type === 'postrider.account.created') {
    return state ?? createdAccount(fact.value, fact.context);
  }
  return state === null || state.isDeleted === true ? state : changedAccount(state, fact);
}

type ChangingFact = Exclude<
  AccountFact,
  { type: 'postrider.account.created' | 'postrider.account.deleted' }
> & { readonly context: RecordContext };

function changedAccount(state: Account, fact: ChangingFact): Account {
  switch (fact.type) {
    case 'postrider.account.plan-changed':
      return {
        ...state,
        plan: fact.value.changes.plan.to,
        requestsPerSecond: fact.value.changes.requestsPerSecond.to,
      };
    case 'postrider.account.settings-changed': {
      const { portal } = fact.value.changes;
      return portal === undefined ? state : { ...state, portal: portal.to };
    }
    case 'postrider.account.suspended':
      // A duplicate of the suspension's record does not count as another suspension.
      return state.isSuspended ? state : { ...state, isSuspended: true, suspensions: state.suspensions + 1 };
    case 'postrider.account.resumed':
      return { ...state, isSuspended: false };
    case 'postrider.api-key.created':
      return withApiKey(state, fact.value, fact.context);
    case 'postrider.api-key.deleted':
      return withoutApiKey(state, { id: fact.value.keyId, mode: fact.value.mode });
    case 'postrider.api-key.first-used':
      return withFirstUse(state, fact.value.keyId, fact.context.at);
    case 'postrider.action.recorded':
      return state;
    case 'postrider.user.invited':
    case 'postrider.user.joined':
    case 'postrider.user.changed':
    case 'postrider.user.deleted':
      return { ...state, ...evolveUsers({ users: state.users, deletedUsers: state.deletedUsers }, fact) };
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
    isSuspended: false,
    suspensions: 0,
    apiKeys: [],
    deletedApiKeys: [],
    users: [],
    deletedUsers: [],
  };
}

function deletedAccount({ key: id, at: deletedAt }: RecordContext): DeletedAccount {
  return { id, isDeleted: true, deletedAt };
}

function withApiKey(account: Account, value: ApiKeyCreated, context: RecordContext): Account {
  const { keyId: id, name, mode, scopes, expiresAt, hash, prefix, last4 } = value;
  if (account.apiKeys.some((known) => known.id === id) || isDeleted(account, id)) {
    return account;
  }
  const apiKey = { id, name, mode, scopes, expiresAt, hash, prefix, last4, created: context.at };
  return { ...account, apiKeys: [...account.apiKeys, apiKey] };
}

function withFirstUse(account: Account, keyId: string, firstUsedAt: Date): Account {
  return {
    ...account,
    apiKeys: account.apiKeys.map((apiKey) =>
      apiKey.id === keyId && apiKey.firstUsedAt === undefined ? { ...apiKey, firstUsedAt } : apiKey,
    ),
  };
}

function withoutApiKey(account: Account, deleted: DeletedApiKey): Account {
  return {
    ...account,
    apiKeys: account.apiKeys.filter(({ id }) => id !== deleted.id),
    deletedApiKeys: isDeleted(account, deleted.id)
      ? account.deletedApiKeys
      : [...account.deletedApiKeys, deleted].slice(-rememberedDeletions),
  };
}

function isDeleted({ deletedApiKeys }: Account, keyId: string): boolean {
  return deletedApiKeys.some(({ id }) => id === keyId);
}

/** The rate limit of each plan, in requests per second and mode. An Enterprise account may have its own rate limit. */
const planRequestsPerSecond: Readonly<Record<Plan, number>> = { free: 10, pro: 100, enterprise: 1000 };

/** The rate limit of an account after a change of its plan. An Enterprise account retains its agreed rate limit. */
export function termsOf(plan: Plan, agreed: number | null, before: PlanTerms | null = null): PlanTerms {
  const kept = plan === 'enterprise' && before?.plan === 'enterprise' ? before.requestsPerSecond : null;
  return { plan, requestsPerSecond: agreed ?? kept ?? planRequestsPerSecond[plan] };
}
