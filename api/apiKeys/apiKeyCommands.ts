import type { Clock } from '../../shared/clock.js';
import type { CommandRunner, Decision } from '../../shared/commandRunner.js';
import type { AccountFact, ApiKey } from '../../shared/domain/account.js';
import {
  apiKeySecret,
  hasMaximumOfApiKeys,
  isLastFullKey,
  maximumApiKeysPerMode,
  traceOfSecret,
} from '../../shared/domain/apiKey.js';
import type { Identifiers } from '../../shared/domain/identifiers.js';
import type { ReadModels } from '../../shared/mongo/readModels.js';
import { accountRecords } from '../../shared/topics/accounts.js';
import type { OutgoingRecord } from '../../shared/topics/record.js';
import type { Caller } from '../apiKeys.js';
import { planRequired } from '../middleware/permission.js';
import { missingResource, refusal, type Refusal } from '../refusal.js';
import { readKeyRing } from './keyRing.js';

export type ApiKeySettings = Pick<ApiKey, 'name' | 'mode' | 'scopes' | 'expiresAt'>;

/** What a new key is made of, prepared before anything is appended: the same again makes the same key. */
export interface NewApiKey {
  readonly id: string;
  /** The `ce_id` of its record. */
  readonly recordId: string;
  readonly created: Date;
  /** 32 bytes that nobody can guess. */
  readonly secretBytes: Buffer;
}

export interface CreatedApiKey {
  readonly apiKey: Omit<ApiKey, 'hash'>;
  /** Shown once: a hash is what is kept. */
  readonly secret: string;
}

/** Changes of an account's keys. Each runs alone in its account, and holds everywhere within a second of its answer. */
export interface ApiKeyCommands {
  create: (caller: Caller, settings: ApiKeySettings, made: NewApiKey) => Promise<CreatedApiKey | Refusal>;
  remove: (caller: Caller, id: string) => Promise<{ readonly id: string } | Refusal>;
}

export interface ApiKeyCommandDependencies {
  readonly runner: CommandRunner;
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
}

export function createApiKeyCommands(dependencies: ApiKeyCommandDependencies): ApiKeyCommands {
  const { runner, accounts, identifiers, clock } = dependencies;

  const decideToCreate = async (caller: Caller, settings: ApiKeySettings, made: NewApiKey) => {
    const { id, created, recordId } = made;
    const { account } = await readKeyRing(accounts, caller);
    const secret = apiKeySecret(settings.mode, made.secretBytes);
    const kept = { ...settings, ...traceOfSecret(settings.mode, secret) };
    const result: CreatedApiKey = { apiKey: { ...kept, id, created }, secret };
    if (account.apiKeys.some((apiKey) => apiKey.id === id)) {
      return { records: [], result };
    }
    if (settings.scopes !== null && account.plan !== 'enterprise') {
      return { records: [], result: planRequired };
    }
    if (hasMaximumOfApiKeys(account, settings.mode)) {
      return { records: [], result: tooMany };
    }
    const value = { ...kept, keyId: id, actor: caller.actor };
    const fact: AccountFact = { type: 'postrider.api-key.created', value };
    return { records: [recordOf(caller, fact, { recordId, at: created })], result };
  };

  const decideToRemove = async (caller: Caller, id: string) => {
    const { account, find } = await readKeyRing(accounts, caller);
    const apiKey = find(id);
    const at = clock();
    if (apiKey === null) {
      return { records: [], result: missingResource('API key', id) };
    }
    if (isLastFullKey(account, apiKey, at)) {
      return { records: [], result: lastKey };
    }
    const { name, mode } = apiKey;
    const fact: AccountFact = {
      type: 'postrider.api-key.deleted',
      value: { keyId: id, name, mode, actor: caller.actor },
    };
    const recordId = identifiers.createRecordId(at);
    return { records: [recordOf(caller, fact, { recordId, at })], result: { id } };
  };

  const run = <Result>({ accountId }: Caller, decide: () => Promise<Decision<Result | Refusal>>) =>
    runner.run({ accountId, topic: 'accounts', decide });

  return {
    create: (caller, settings, made) =>
      run<CreatedApiKey>(caller, () => decideToCreate(caller, settings, made)),
    remove: (caller, id) => run<{ id: string }>(caller, () => decideToRemove(caller, id)),
  };
}

/** Records of an account have no mode, whichever key they are about. */
function recordOf(
  { accountId }: Caller,
  fact: AccountFact,
  { recordId, at }: { readonly recordId: string; readonly at: Date },
): OutgoingRecord {
  return accountRecords.encode(fact, { id: recordId, key: accountId, accountId, mode: null, at });
}

const tooMany = refusal(
  'parameter_invalid',
  `An account has at most ${String(maximumApiKeysPerMode)} API keys in each mode, expired ones included: delete one first.`,
);
const lastKey = refusal(
  'last_key',
  'This is the last full key of its mode that has not expired. Create another full key first.',
);
