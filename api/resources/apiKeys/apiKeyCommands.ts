import type { CommandRunner, Decision } from '../../../shared/commands/commandRunner.js';
import type { AccountFact, ApiKey } from '../../../shared/domain/accounts/account.js';
import {
  apiKeySecret,
  hasMaximumOfApiKeys,
  isLastFullKey,
  maximumApiKeysPerMode,
  traceOfSecret,
} from '../../../shared/domain/accounts/apiKey.js';
import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import type { OutgoingRecord } from '../../../shared/log/encoding/record.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { accountRecordContext } from '../../authentication/callerAccount.js';
import { apiError, missingResource, type ApiError } from '../../http/apiError.js';
import type { Caller } from '../../http/context.js';
import { planRequired } from '../../middleware/authorization.js';
import { readManagedApiKeys } from './managedApiKeys.js';

export type ApiKeySettings = Pick<ApiKey, 'name' | 'mode' | 'scopes' | 'expiresAt'>;

/** The fields of an API key of an account or of a tenant that responses show. */
export interface ShownApiKey extends Omit<ApiKey, 'hash' | 'firstUsedAt'> {
  /** The tenant of the key; null for a key of the account. */
  readonly tenantId: string | null;
}

export interface CreatedApiKey {
  readonly apiKey: ShownApiKey;
  /** The secret of the new key. The API shows the secret once, and stores only its hash. */
  readonly secret: string;
}

/**
 * Commands on the API keys of an account. Commands of one account run one at a time. A command on API keys takes effect
 * within a second.
 */
export interface ApiKeyCommands {
  create: (
    caller: Caller,
    settings: ApiKeySettings,
    identity: RequestIdentity,
  ) => Promise<CreatedApiKey | ApiError>;
  remove: (
    caller: Caller,
    id: string,
    identity: RequestIdentity,
  ) => Promise<{ readonly id: string } | ApiError>;
}

export interface ApiKeyCommandDependencies {
  readonly runner: CommandRunner;
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
}

export function createApiKeyCommands(dependencies: ApiKeyCommandDependencies): ApiKeyCommands {
  const { runner, accounts } = dependencies;

  const decideToCreate = async (caller: Caller, settings: ApiKeySettings, identity: RequestIdentity) => {
    const { created } = identity;
    const id = identity.id('key');
    const { account } = await readManagedApiKeys(accounts, caller);
    const secret = apiKeySecret(settings.mode, identity.secret());
    const kept = { ...settings, ...traceOfSecret(settings.mode, secret) };
    const result: CreatedApiKey = { apiKey: { ...kept, id, tenantId: null, created }, secret };
    if (account.apiKeys.some((apiKey) => apiKey.id === id)) {
      return { records: [], result };
    }
    if (settings.scopes !== null && account.plan !== 'enterprise') {
      return { records: [], result: planRequired };
    }
    if (hasMaximumOfApiKeys(account, settings.mode)) {
      return { records: [], result: tooManyKeys };
    }
    const value = { ...kept, keyId: id, actor: caller.actor };
    const fact: AccountFact = { type: 'postrider.api-key.created', value };
    return { records: [recordOf(caller, fact, identity)], result };
  };

  const decideToRemove = async (caller: Caller, id: string, identity: RequestIdentity) => {
    const { account, find } = await readManagedApiKeys(accounts, caller);
    const apiKey = find(id);
    if (apiKey === null) {
      return { records: [], result: missingResource('API key', id) };
    }
    if (isLastFullKey(account, apiKey, identity.created)) {
      return { records: [], result: lastKey };
    }
    const { name, mode } = apiKey;
    const fact: AccountFact = {
      type: 'postrider.api-key.deleted',
      value: { keyId: id, name, mode, actor: caller.actor },
    };
    return { records: [recordOf(caller, fact, identity)], result: { id } };
  };

  const run = <Result>({ accountId }: Caller, decide: () => Promise<Decision<Result | ApiError>>) =>
    runner.run({ accountId, topic: 'accounts', decide });

  return {
    create: (caller, settings, identity) =>
      run<CreatedApiKey>(caller, () => decideToCreate(caller, settings, identity)),
    remove: (caller, id, identity) => run<{ id: string }>(caller, () => decideToRemove(caller, id, identity)),
  };
}

function recordOf({ accountId }: Caller, fact: AccountFact, identity: RequestIdentity): OutgoingRecord {
  return accountRecords.encode(fact, accountRecordContext(accountId, identity));
}

const tooManyKeys = apiError(
  'parameter_invalid',
  `An account has at most ${String(maximumApiKeysPerMode)} API keys in each mode, including ` +
    `expired keys. Delete an API key first.`,
);
const lastKey = apiError(
  'last_key',
  'The API key is the last full key of its mode that has not expired. Create another full key first.',
);
