import type { CommandRunner, Decision } from '../../../shared/commands/commandRunner.js';
import { apiKeySecret, traceOfSecret } from '../../../shared/domain/accounts/apiKey.js';
import { capabilities } from '../../../shared/domain/accounts/permissions.js';
import {
  maximumApiKeysPerTenant,
  type TenantApiKey,
  type TenantApiKeyFact,
} from '../../../shared/domain/accounts/tenantApiKey.js';
import type { Mode } from '../../../shared/domain/core/fact.js';
import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import { tenantKey } from '../../../shared/domain/tenants/tenant.js';
import type { OutgoingRecord } from '../../../shared/log/encoding/record.js';
import { tenantRecords } from '../../../shared/log/records/tenants.js';
import { apiError, missingResource, unknownTenant, type ApiError } from '../../http/apiError.js';
import type { Caller } from '../../http/context.js';
import type { TenantLookup } from '../tenants/tenantLookup.js';
import type { ApiKeySettings, CreatedApiKey } from './apiKeyCommands.js';
import type { TenantApiKeys } from './tenantApiKeys.js';

export type TenantApiKeySettings = Omit<ApiKeySettings, 'scopes'>;

/** Commands on the API keys of tenants. Commands on one tenant run one at a time, and take effect within a second. */
export interface TenantApiKeyCommands {
  create: (
    caller: Caller,
    tenantId: string,
    settings: TenantApiKeySettings,
    identity: RequestIdentity,
  ) => Promise<CreatedApiKey | ApiError>;
  remove: (
    caller: Caller,
    apiKey: TenantApiKey,
    identity: RequestIdentity,
  ) => Promise<{ readonly id: string } | ApiError>;
}

export interface TenantApiKeyCommandDependencies {
  readonly runner: CommandRunner;
  readonly tenants: Pick<TenantLookup, 'find'>;
  readonly apiKeys: Pick<TenantApiKeys, 'find' | 'isKnown' | 'count'>;
}

/** The tenant of an API key, in the mode of the key. */
interface KeyOwner {
  readonly accountId: string;
  readonly mode: Mode;
  readonly tenantId: string;
}

export function createTenantApiKeyCommands(
  dependencies: TenantApiKeyCommandDependencies,
): TenantApiKeyCommands {
  const { runner, tenants, apiKeys } = dependencies;

  const run = <Result>(
    { accountId, mode, tenantId }: KeyOwner,
    decide: () => Promise<Decision<Result | ApiError>>,
  ) =>
    runner.run({
      accountId,
      tenant: { mode, tenantId },
      topic: 'tenants',
      key: tenantKey(accountId, tenantId),
      decide,
    });

  const decideToCreate = async (
    caller: Caller,
    owner: KeyOwner,
    settings: TenantApiKeySettings,
    identity: RequestIdentity,
  ): Promise<Decision<CreatedApiKey | ApiError>> => {
    const id = identity.id('key');
    const secret = apiKeySecret(owner.mode, identity.secret());
    const kept = { ...settings, ...traceOfSecret(owner.mode, secret) };
    const shown = { ...kept, id, scopes: capabilities, tenantId: owner.tenantId, created: identity.created };
    const result = { apiKey: shown, secret };
    if (await apiKeys.isKnown(caller, id)) {
      return { records: [], result };
    }
    const tenant = await tenants.find(owner, owner.tenantId);
    if (tenant?.status !== 'active') {
      return { records: [], result: unknownTenant(owner.tenantId) };
    }
    const { lifeId } = tenant;
    if ((await apiKeys.count(owner.accountId, lifeId)) >= maximumApiKeysPerTenant) {
      return { records: [], result: tooManyKeys };
    }
    const value = { ...kept, keyId: id, lifeId, actor: caller.actor };
    return { records: [recordOf(owner, { type: 'postrider.api-key.created', value }, identity)], result };
  };

  const decideToRemove = async (
    caller: Caller,
    { id }: TenantApiKey,
    identity: RequestIdentity,
  ): Promise<Decision<{ readonly id: string } | ApiError>> => {
    const apiKey = await apiKeys.find(caller, id);
    if (apiKey === null) {
      return { records: [], result: missingResource('API key', id) };
    }
    const { name, mode, lifeId } = apiKey;
    const value = { keyId: id, name, mode, lifeId, actor: caller.actor };
    return {
      records: [recordOf(apiKey, { type: 'postrider.api-key.deleted', value }, identity)],
      result: { id },
    };
  };

  return {
    create: (caller, tenantId, settings, identity) => {
      const owner = { accountId: caller.accountId, mode: settings.mode, tenantId };
      return run<CreatedApiKey>(owner, () => decideToCreate(caller, owner, settings, identity));
    },
    remove: (caller, apiKey, identity) =>
      run<{ readonly id: string }>(apiKey, () => decideToRemove(caller, apiKey, identity)),
  };
}

function recordOf(
  { accountId, mode, tenantId }: KeyOwner,
  fact: TenantApiKeyFact,
  identity: RequestIdentity,
): OutgoingRecord {
  const id = identity.recordId(fact.type);
  const key = tenantKey(accountId, tenantId);
  return tenantRecords.encode(fact, { id, key, accountId, mode, at: identity.created, tenantId });
}

const tooManyKeys = apiError(
  'parameter_invalid',
  `A tenant has at most ${String(maximumApiKeysPerTenant)} API keys, including expired keys. Delete an API key first.`,
);
