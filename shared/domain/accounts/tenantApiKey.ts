import type { Mode, RecordContext } from '../core/fact.js';
import { tenantIdOfKey, type TenantFact } from '../tenants/tenant.js';
import type { ApiKey, ApiKeyCreated, ApiKeyDeleted, ApiKeyFirstUsed } from './account.js';

/** The maximum number of API keys of a tenant. An expired key counts until it is deleted. */
export const maximumApiKeysPerTenant = 100;

/** The life of the tenant whose API key a fact concerns. */
interface OfLife {
  readonly lifeId: string;
}

/** The facts about API keys of tenants. All keys of tenants have the same scopes, so no fact contains scopes. */
export type TenantApiKeyFact =
  | { readonly type: 'postrider.api-key.created'; readonly value: Omit<ApiKeyCreated, 'scopes'> & OfLife }
  | { readonly type: 'postrider.api-key.deleted'; readonly value: ApiKeyDeleted & OfLife }
  | { readonly type: 'postrider.api-key.first-used'; readonly value: ApiKeyFirstUsed & OfLife };

export function isTenantApiKeyFact(fact: TenantFact | TenantApiKeyFact): fact is TenantApiKeyFact {
  return 'keyId' in fact.value;
}

interface TenantApiKeyIdentity extends OfLife {
  readonly id: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly tenantId: string;
  readonly created: Date;
}

/** An API key of a tenant. It is valid while the tenant exists and has the life of the key. */
export interface TenantApiKey extends TenantApiKeyIdentity, Omit<ApiKey, 'scopes'> {
  readonly keyStatus: 'active';
}

/** What remains of a deleted API key of a tenant. Its id stays a cursor of the list. */
export interface DeletedTenantApiKey extends TenantApiKeyIdentity {
  readonly keyStatus: 'deleted';
}

export type TenantApiKeyState = TenantApiKey | DeletedTenantApiKey | null;

/** An API key of a tenant after another fact. No fact restores a deleted key. */
export function evolveTenantApiKey(
  state: TenantApiKeyState,
  fact: TenantApiKeyFact & { readonly context: RecordContext },
): TenantApiKeyState {
  switch (fact.type) {
    case 'postrider.api-key.created':
      return state ?? createdKey(fact.value, fact.context);
    case 'postrider.api-key.deleted':
      return endedTenantApiKey(state, fact.value.lifeId);
    case 'postrider.api-key.first-used':
      return state?.keyStatus === 'active' && state.firstUsedAt === undefined
        ? { ...state, firstUsedAt: fact.context.at }
        : state;
    default: {
      const never: never = fact;
      return never;
    }
  }
}

/** An API key of a tenant after the deletion of the key, or of a life of its tenant. */
export function endedTenantApiKey(state: TenantApiKeyState, life: string): TenantApiKeyState {
  if (state?.keyStatus !== 'active' || state.lifeId !== life) {
    return state;
  }
  const { id, accountId, mode, tenantId, lifeId, created } = state;
  return { id, accountId, mode, tenantId, lifeId, created, keyStatus: 'deleted' };
}

function createdKey(
  value: Extract<TenantApiKeyFact, { type: 'postrider.api-key.created' }>['value'],
  { accountId, key, at: created }: RecordContext,
): TenantApiKey {
  const { keyId: id, actor: _actor, ...fields } = value;
  return { ...fields, id, accountId, tenantId: tenantIdOfKey(key), created, keyStatus: 'active' };
}
