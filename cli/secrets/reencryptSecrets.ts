import type { AccountKeyDocument } from '../../shared/store/models/documents.js';
import { allPartitions } from '../../shared/store/models/modelProgress.js';
import {
  accountKeysSealedWithNoneOf,
  answersKeptUntil,
  sealedWithNoneOf,
} from '../../shared/store/coordination/sealedSecrets.js';
import { createSecretBox, type EncryptionKey } from '../../shared/security/secretBox.js';
import { accountKeysTopic } from '../../shared/log/topics/names.js';
import { CommandFailure } from '../terminal/commandFailure.js';
import { perOwner, type PerOwnerOptions } from './perOwner.js';
import { createResealAccountKey } from './resealAccountKey.js';
import { createResealWebhook, type OwnedWebhook, type Resealed } from './resealWebhook.js';
import type { Stores } from '../environment/stores.js';

/** All live secrets are sealed with one key, and this is what it took. */
export interface Reencrypted {
  /** The id of that key. */
  readonly key: string;
  /** How many secrets another key had sealed before, and of how many webhooks. */
  readonly secrets: number;
  readonly webhooks: number;
  /** How many data keys of accounts. */
  readonly accounts: number;
  /** The other keys of the setting: no live secret needs them any more. */
  readonly oldKeys: readonly string[];
  /** Until when stored answers to requests with an idempotency key need them; null where none does. */
  readonly oldKeysNeededUntil: string | null;
}

type FindingStores = Pick<Stores, 'models'>;
type ReencryptingStores = Pick<Stores, 'models' | 'commands' | 'mongo' | 'offsets' | 'progress' | 'operator'>;

const modelTimeoutMs = 10_000;
const pageSize = 500;
/** Each webhook is a few round trips of waiting. */
const lanes = 8;
const namedWebhooks = 3;

/**
 * Seals every secret that still signs with the first key. Each webhook is a command of its own: whatever happens meanwhile
 * stands, and what a run has left undone the next one finds.
 * @throws CommandFailure where a key is missing, or some process still seals with another key
 */
export async function reencryptSecrets(
  stores: ReencryptingStores,
  keys: readonly EncryptionKey[],
  onProgress: PerOwnerOptions['onProgress'],
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

/** Accounts and webhooks one behind the other: whoever watches sees all of them as one. */
async function resealAll(
  stores: ReencryptingStores,
  keys: readonly EncryptionKey[],
  onProgress: PerOwnerOptions['onProgress'],
) {
  const key = keys[0]?.id ?? '';
  const box = createSecretBox(keys);
  const toDo = {
    accounts: await findAccountsSealedOtherwise(stores, key),
    webhooks: await findSealedOtherwise(stores, key),
  };
  const total = toDo.accounts.length + toDo.webhooks.length;
  const accounts = await perOwner(toDo.accounts, createResealAccountKey(stores, box, key), {
    lanes,
    onProgress: (done) => {
      onProgress(done, total);
    },
  });
  const webhooks = await perOwner(toDo.webhooks, createResealWebhook(stores, box, key), {
    lanes,
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

/** What the model does not know yet would not be found. */
async function waitForModel({ offsets, progress }: Pick<Stores, 'offsets' | 'progress'>): Promise<void> {
  const webhooks = allPartitions(await offsets.ends('webhooks'));
  const accountKeys = allPartitions(await offsets.ends(accountKeysTopic));
  const areThere = await Promise.all([
    progress.webhooks.reached('webhooks', webhooks, modelTimeoutMs),
    progress.accountKeys.reached(accountKeysTopic, accountKeys, modelTimeoutMs),
  ]);
  if (areThere.includes(false)) {
    throw new CommandFailure(
      'The webhooks are being read from the log. Try again in a moment, while "postrider projections" runs.',
    );
  }
}

/** Webhooks with a secret that still signs and is sealed with another key; disabled ones too: they can be enabled. */
async function findSealedOtherwise({ models }: FindingStores, key: string): Promise<readonly OwnedWebhook[]> {
  const found: OwnedWebhook[] = [];
  let last: string | undefined = '';
  while (last !== undefined) {
    const page = await models.webhooks.findPage({
      ranges: [{ filter: { ...sealedWithNoneOf([key], new Date()), _id: { $gt: last } }, sort: { _id: 1 } }],
      limit: pageSize,
      index: { _id: 1 },
      without: ['recordIds', 'positions', 'events', 'eventsFrom'],
    });
    found.push(...page.map(({ _id: id, accountId }) => ({ id, accountId })));
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
    `POSTRIDER_ENCRYPTION_KEYS lacks ${keys.join(', ')}, which ${undone.length} webhooks or accounts need ` +
      `(${ids.join(', ')}${undone.length > ids.length ? ', …' : ''}). All others are under the first key.`,
  );
}

async function refuseNewOnes(stores: FindingStores, key: string): Promise<void> {
  const found = [
    ...(await findSealedOtherwise(stores, key)),
    ...(await findAccountsSealedOtherwise(stores, key)),
  ];
  if (found.length > 0) {
    throw new CommandFailure(
      `Meanwhile a secret was sealed with another key than "${key}": some process still has that one first. ` +
        'Start them all again with the present setting, and then run this again.',
    );
  }
}
