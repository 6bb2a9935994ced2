import {
  tenantKey,
  type TenantChanges,
  type TenantCreated,
  type TenantDeleted,
  type TenantFact,
} from '../../shared/domain/tenants/tenant.js';
import type { TenantApiKeyFact } from '../../shared/domain/accounts/tenantApiKey.js';
import {
  contextOf,
  start,
  testActor as actor,
  testIdentifier,
  testRecordId,
  type InContext,
} from './facts.js';

export const testTenantId = 'customer-42';

/** A fact about the tenant of the tests. Its `ce_id` contains the number. */
function inContext<Fact extends TenantFact | TenantApiKeyFact>(fact: Fact, number: number): InContext<Fact> {
  const key = tenantKey(testIdentifier('acct'), testTenantId);
  return {
    ...fact,
    context: contextOf(key, { id: testRecordId(number), at: new Date(start.getTime() + number) }),
  };
}

/** The id of the life that the creation with this number begins. */
export function lifeOf(number: number): string {
  return testRecordId(number);
}

export function tenantCreated(number: number, value: Partial<TenantCreated> = {}): InContext<TenantFact> {
  const created = {
    name: 'Acme',
    metadata: { plan: 'gold' },
    eventsFrom: [number, 0],
    eventsFromIds: [null, null],
  };
  return inContext<TenantFact>(
    { type: 'postrider.tenant.created', value: { ...created, actor, ...value } },
    number,
  );
}

export function tenantUpdated(number: number, changes: TenantChanges): InContext<TenantFact> {
  return inContext<TenantFact>({ type: 'postrider.tenant.updated', value: { changes, actor } }, number);
}

/** @param life the number of the creation of the deleted life */
export function tenantDeleted(
  number: number,
  life: number,
  value: Partial<TenantDeleted> = {},
): InContext<TenantFact> {
  const deleted = {
    lifeId: lifeOf(life),
    eventsBelow: [number, 0],
    eventsBelowIds: [null, null],
    apiKeyIds: [],
  };
  return inContext<TenantFact>(
    { type: 'postrider.tenant.deleted', value: { ...deleted, actor, ...value } },
    number,
  );
}

/** @param life the number of the creation of the erased life */
export function tenantErased(number: number, life: number): InContext<TenantFact> {
  return inContext({ type: 'postrider.tenant.erased', value: { lifeId: lifeOf(life) } }, number);
}

/** @param life the number of the creation of the life whose sessions are revoked */
export function sessionsRevoked(number: number, life: number): InContext<TenantFact> {
  return inContext<TenantFact>(
    { type: 'postrider.tenant.sessions-revoked', value: { lifeId: lifeOf(life), actor } },
    number,
  );
}

/** An API key of the tenant of the tests. */
export const testTenantKey = {
  keyId: testIdentifier('key', 7),
  name: 'Backend',
  mode: 'live',
  expiresAt: null,
  hash: 'ab'.repeat(32),
  prefix: 'sk_live_',
  last4: 'nobw',
} as const;

/** @param life the number of the creation of the life of the key */
export function tenantKeyCreated(number: number, life: number): InContext<TenantApiKeyFact> {
  const value = { ...testTenantKey, lifeId: lifeOf(life), actor };
  return inContext<TenantApiKeyFact>({ type: 'postrider.api-key.created', value }, number);
}

export function tenantKeyDeleted(number: number, life: number): InContext<TenantApiKeyFact> {
  const { keyId, name, mode } = testTenantKey;
  const value = { keyId, name, mode, lifeId: lifeOf(life), actor };
  return inContext<TenantApiKeyFact>({ type: 'postrider.api-key.deleted', value }, number);
}

export function tenantKeyFirstUsed(number: number, life: number): InContext<TenantApiKeyFact> {
  const { keyId, mode } = testTenantKey;
  const client = { network: '192.0.2.1', userAgent: null };
  const value = { keyId, mode, lifeId: lifeOf(life), client, actor };
  return inContext<TenantApiKeyFact>({ type: 'postrider.api-key.first-used', value }, number);
}

/**
 * A fact about the tenant with a number. Each tenant has one key, and no other tenant has it.
 * @param fact a fact about any tenant
 */
export function aboutTenant(
  number: number,
  fact: TenantFact | TenantApiKeyFact,
): TenantFact | TenantApiKeyFact {
  const keyId = testIdentifier('key', number);
  switch (fact.type) {
    case 'postrider.api-key.created':
      return { ...fact, value: { ...fact.value, keyId } };
    case 'postrider.api-key.deleted':
      return { ...fact, value: { ...fact.value, keyId } };
    case 'postrider.api-key.first-used':
      return { ...fact, value: { ...fact.value, keyId } };
    case 'postrider.tenant.deleted':
      return { ...fact, value: { ...fact.value, apiKeyIds: [keyId] } };
    default:
      return fact;
  }
}
