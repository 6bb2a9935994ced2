import { randomBytes } from 'node:crypto';

import { z } from 'zod';

import { createdPortalSessionSchema } from '../../../api/resources/portalSessions/routes.js';
import { createRandom } from '../../../shared/core/random.js';
import { hashOfPortalToken, portalToken } from '../../../shared/domain/accounts/portalSettings.js';
import type { TenantApiKeyFact } from '../../../shared/domain/accounts/tenantApiKey.js';
import type { Mode } from '../../../shared/domain/core/fact.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { tenantKey, type TenantFact } from '../../../shared/domain/tenants/tenant.js';
import { tenantRecords } from '../../../shared/log/records/tenants.js';
import { createPortalSessions } from '../../../shared/store/redis/portalSessions.js';
import { createRedisGuard } from '../../../shared/store/redis/redisGuard.js';
import { openRedis, recordingLogger } from '../../shared/store/redis/connections.js';
import type { TestAccount } from './accounts.js';
import { createApiKey } from './apiKeys.js';
import { createClient, read, type Client } from './client.js';

const identifiers = createIdentifiers(createRandom());
const actor = { type: 'operator', id: null, name: 'test' } as const;

/** A tenant of an account, in one mode. */
export interface TestTenant {
  readonly account: TestAccount;
  readonly id: string;
  readonly mode: Mode;
  readonly lifeId: string;
}

type AnyFact = TenantFact | TenantApiKeyFact;

/** Appends facts about a tenant or its keys together, and returns the first record id once the model contains them. */
export async function appendToTenant(
  { id: accountId, service }: TestAccount,
  { id, mode }: Pick<TestTenant, 'id' | 'mode'>,
  ...facts: readonly [AnyFact, ...AnyFact[]]
): Promise<string> {
  const at = new Date();
  const key = tenantKey(accountId, id);
  const firstId = identifiers.createRecordId(at);
  const records = facts.map((fact, index) => {
    const recordId = index === 0 ? firstId : identifiers.createRecordId(at);
    return tenantRecords.encode(fact, { id: recordId, key, accountId, mode, at });
  });
  await service.withStores(({ commands }) =>
    commands.run({
      ...{ accountId, topic: 'tenants', key },
      decide: () => Promise.resolve({ records, result: null }),
    }),
  );
  return firstId;
}

export async function createTenant(
  account: TestAccount,
  id: string,
  mode: Mode = 'live',
): Promise<TestTenant> {
  const value = { name: `Name of ${id}`, metadata: {}, eventsFrom: [], eventsFromIds: [], actor };
  const lifeId = await appendToTenant(account, { id, mode }, { type: 'postrider.tenant.created', value });
  return { account, id, mode, lifeId };
}

export async function deleteTenant(tenant: TestTenant): Promise<void> {
  const value = { lifeId: tenant.lifeId, eventsBelow: [], eventsBelowIds: [], apiKeyIds: [], actor };
  await appendToTenant(tenant.account, tenant, { type: 'postrider.tenant.deleted', value });
}

/** Opens a portal session of a tenant. */
export async function openPortal(tenant: TestTenant, body: object = {}, client?: Client) {
  const { account, id, mode } = tenant;
  const opened = await (client ?? account[mode]).postJson(`/v1/tenants/${id}/portal-sessions`, body);
  return read(opened, createdPortalSessionSchema);
}

/** The token of a portal session that expired a second ago. */
export async function expiredToken({ account, id, mode, lifeId }: TestTenant): Promise<string> {
  const redis = await openRedis(account.service.config.redis);
  const token = portalToken(randomBytes(32));
  const guard = createRedisGuard(redis, recordingLogger(), 'the test cannot continue');
  await createPortalSessions(guard).begin(hashOfPortalToken(token), {
    ...{ accountId: account.id, mode, tenantId: id, lifeId, revocations: 0, suspensions: 0 },
    capabilities: ['webhooks:read'],
    created: new Date(Date.now() - 61_000),
    expiresAt: new Date(Date.now() - 1000),
  });
  redis.close();
  return token;
}

/** A client with a new portal session of a tenant. */
export async function portalClient(tenant: TestTenant, body: object = {}): Promise<Client> {
  return createClient(tenant.account.service.address, (await openPortal(tenant, body)).token);
}

const revokedSchema = z.object({ revoked: z.number() });

export async function revokeSessions({ account, id, mode }: TestTenant): Promise<number> {
  return read(await account[mode].delete(`/v1/tenants/${id}/portal-sessions`), revokedSchema).revoked;
}

/** A client with a new API key of a tenant. */
export async function tenantKeyClient({ account, id, mode }: TestTenant): Promise<Client> {
  const { secret } = await createApiKey(account.live, { tenantId: id, mode });
  return createClient(account.service.address, secret);
}
