import { accountKeysTopic } from '../../shared/log/topics/names.js';
import { createSecretBox, type EncryptionKey } from '../../shared/security/secretBox.js';
import {
  accountKeysSealedWithNoneOf,
  answersKeptUntil,
  webhooksSealedWithNoneOf,
} from '../../shared/store/coordination/encryptionKeyUse.js';
import type { AccountKeyDocument } from '../../shared/store/models/documents.js';
import { reachedEnds } from '../../shared/store/models/modelProgress.js';
import type { Stores } from '../environment/stores.js';
import { CommandFailure } from '../terminal/output.js';
import { createResealAccountKey, createResealWebhook, type OwnedWebhook, type Resealed } from './reseal.js';

/** The result of a re-encryption: one encryption key encrypts all secrets in use. */
export interface Reencrypted {
  /** The id of the encryption key that encrypts all secrets in use. */
  readonly key: string;
  /** The number of secrets and credentials that another key has encrypted before. */
  readonly secrets: number;
  readonly webhooks: number;
  /** The number of re-encrypted data keys of accounts. */
  readonly accounts: number;
  /** The encryption keys of the setting except the first one. No secret in use needs these keys any more. */
  readonly oldKeys: readonly string[];
  /**
   * The time until which stored responses to requests with an idempotency key need the old keys, or null if no response
   * needs them.
   */
  readonly oldKeysNeededUntil: string | null;
}

type FindingStores = Pick<Stores, 'models'>;
type ReencryptingStores = Pick<Stores, 'models' | 'commands' | 'mongo' | 'offsets' | 'progress' | 'operator'>;

const modelTimeoutMs = 10_000;
const pageSize = 500;
/**
 * The number of webhooks that are re-encrypted in parallel. The re-encryption of a webhook mostly waits for a few round
 * trips.
 */
const concurrency = 8;
const namedWebhooks = 3;

/**
 * Encrypts every secret that still signs, and every credential, with the first encryption key. The re-encryption of each webhook is a separate
 * command. Concurrent changes are therefore kept, and a later run finishes an interrupted one.
 * @throws CommandFailure if a key is missing, or a process still encrypts with another key
 */
export async function reencryptSecrets(
  stores: ReencryptingStores,
  keys: readonly EncryptionKey[],
  onProgress: ParallelOptions['onProgress'],
): Promise<Reencrypted> {
  const [key = '', ...oldKeys] = keys.map(({ id }) => id);
  await waitForModel(stores);
  const { webhooks, accounts } = await resealAll(stores, keys, onProgress);
  checkEncryptionKeys([...webhooks, ...accounts]);
  await refuseNewOnes(stores, key);
  const until = await answersKeptUntil(stores.mongo.database, key, new Date());
  return {
    key,
    secrets: webhooks.reduce((sum, { count }) => sum + count, 0),
    webhooks: webhooks.filter(({ count }) => count > 0).length,
    accounts: accounts.filter(({ count }) => count > 0).length,
    oldKeys,
    oldKeysNeededUntil: until?.toISOString() ?? null,
  };
}

/** Re-encrypts accounts and webhooks, with one common progress. */
async function resealAll(
  stores: ReencryptingStores,
  keys: readonly EncryptionKey[],
  onProgress: ParallelOptions['onProgress'],
) {
  const key = keys[0]?.id ?? '';
  const box = createSecretBox(keys);
  const toDo = {
    accounts: await findAccountsSealedOtherwise(stores, key),
    webhooks: await findSealedOtherwise(stores, key),
  };
  const total = toDo.accounts.length + toDo.webhooks.length;
  const accounts = await parallelUntilFailure(toDo.accounts, createResealAccountKey(stores, box, key), {
    concurrency,
    onProgress: (done) => {
      onProgress(done, total);
    },
  });
  const webhooks = await parallelUntilFailure(toDo.webhooks, createResealWebhook(stores, box, key), {
    concurrency,
    onProgress: (done) => {
      onProgress(toDo.accounts.length + done, total);
    },
  });
  return { accounts, webhooks };
}

async function findAccountsSealedOtherwise(
  { models }: FindingStores,
  key: string,
): Promise<readonly string[]> {
  const found: string[] = [];
  let last: string | undefined = '';
  while (last !== undefined) {
    const page: readonly AccountKeyDocument[] = await models.accountKeys.findPage({
      ranges: [{ filter: { ...accountKeysSealedWithNoneOf([key]), _id: { $gt: last } }, sort: { _id: 1 } }],
      limit: pageSize,
      index: { _id: 1 },
    });
    found.push(...page.map(({ _id }) => _id));
    last = page.length === pageSize ? page.at(-1)?._id : undefined;
  }
  return found;
}

/**
 * Waits until the read models of accounts and webhooks contain all records of the log. The command would miss a secret
 * that is in no read model yet.
 */
async function waitForModel({ offsets, progress }: Pick<Stores, 'offsets' | 'progress'>): Promise<void> {
  const areThere = await Promise.all([
    reachedEnds({ progress: progress.webhooks, offsets }, 'webhooks', modelTimeoutMs),
    reachedEnds({ progress: progress.accountKeys, offsets }, accountKeysTopic, modelTimeoutMs),
  ]);
  if (areThere.includes(false)) {
    throw new CommandFailure(
      'The read models "webhooks" and "accountKeys" do not contain all records of the log yet. Keep ' +
        '"postrider projections" running and try again in a moment.',
    );
  }
}

/**
 * Finds webhooks with a secret that still signs, or a credential, that another key has encrypted. Disabled webhooks are included,
 * because they can be enabled again.
 */
async function findSealedOtherwise({ models }: FindingStores, key: string): Promise<readonly OwnedWebhook[]> {
  const found: OwnedWebhook[] = [];
  let last: string | undefined = '';
  while (last !== undefined) {
    const $or = webhooksSealedWithNoneOf([key], new Date()).map(({ filter }) => filter);
    const page = await models.webhooks.findPage({
      ranges: [{ filter: { $or, _id: { $gt: last } }, sort: { _id: 1 } }],
      limit: pageSize,
      index: { _id: 1 },
      without: ['recordIds', 'positions', 'events', 'eventsFrom'],
    });
    found.push(...page.map(({ _id: id, accountId, mode, tenantId }) => ({ id, accountId, mode, tenantId })));
    last = page.length === pageSize ? page.at(-1)?._id : undefined;
  }
  return found;
}

function checkEncryptionKeys(results: readonly Resealed[]): void {
  const undone = results.filter(({ missingKeys }) => missingKeys.length > 0);
  if (undone.length === 0) {
    return;
  }
  const keys = [...new Set(undone.flatMap(({ missingKeys }) => missingKeys))].map((id) => `"${id}"`);
  const ids = undone.slice(0, namedWebhooks).map(({ id }) => id);
  throw new CommandFailure(
    `POSTRIDER_ENCRYPTION_KEYS lacks ${keys.join(', ')}, which ${undone.length} webhooks or accounts ` +
      `need (${ids.join(', ')}${undone.length > ids.length ? ', …' : ''}). All other secrets are ` +
      'encrypted with the first key.',
  );
}

async function refuseNewOnes(stores: FindingStores, key: string): Promise<void> {
  const found = [
    ...(await findSealedOtherwise(stores, key)),
    ...(await findAccountsSealedOtherwise(stores, key)),
  ];
  if (found.length > 0) {
    throw new CommandFailure(
      `During this run, a process encrypted a secret with another key than "${key}", so the process has another first key. Restart all processes with the present POSTRIDER_ENCRYPTION_KEYS, then run the command again.`,
    );
  }
}

interface ParallelOptions {
  readonly concurrency: number;
  /** Receives the number of finished items and the total. */
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Processes many items, some of them in parallel. After a failure no further item is started.
 * @returns the results, in no particular order
 * @throws the first failure, after all started items have ended
 */
export async function parallelUntilFailure<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  { concurrency, onProgress }: ParallelOptions,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      results.push(await work(item));
      onProgress(results.length, items.length);
    }
  };
  onProgress(0, items.length);
  const ends = await Promise.allSettled(
    Array.from({ length: concurrency }, () =>
      worker().catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      }),
    ),
  );
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
  return results;
}
