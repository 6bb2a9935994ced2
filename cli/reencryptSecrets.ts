import { allPartitions } from '../shared/mongo/modelProgress.js';
import { answersKeptUntil, sealedWithNoneOf } from '../shared/mongo/sealedSecrets.js';
import { createSecretBox, type EncryptionKey } from '../shared/secretBox.js';
import { CommandFailure } from './failure.js';
import { inLanes, type LaneOptions } from './inLanes.js';
import { createResealWebhook, type OwnedWebhook, type Resealed } from './resealWebhook.js';
import type { Stores } from './stores.js';

/** All live secrets are sealed with one key, and this is what it took. */
export interface Reencrypted {
  /** The id of that key. */
  readonly key: string;
  /** How many secrets another key had sealed before, and of how many webhooks. */
  readonly secrets: number;
  readonly webhooks: number;
  /** The other keys of the setting: no live secret needs them any more. */
  readonly oldKeys: readonly string[];
  /** Until when stored answers to requests with an idempotency key need them; null where none does. */
  readonly oldKeysNeededUntil: string | null;
}

type FindingStores = Pick<Stores, 'models'>;
type ReencryptingStores = Pick<Stores, 'models' | 'commands' | 'mongo' | 'offsets' | 'progress'>;

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
  onProgress: LaneOptions['onProgress'],
): Promise<Reencrypted> {
  const [key = '', ...oldKeys] = keys.map(({ id }) => id);
  await waitForModel(stores);
  const reseal = createResealWebhook(stores, createSecretBox(keys), key);
  const results = await inLanes(await findSealedOtherwise(stores, key), reseal, { lanes, onProgress });
  refuseMissingKeys(results);
  await refuseNewOnes(stores, key);
  const until = await answersKeptUntil(stores.mongo.database, key, new Date());
  const resealed = results.filter(({ count }) => count > 0);
  return {
    key,
    secrets: resealed.reduce((sum, { count }) => sum + count, 0),
    webhooks: resealed.length,
    oldKeys,
    oldKeysNeededUntil: until?.toISOString() ?? null,
  };
}

/** What the model does not know yet would not be found. */
async function waitForModel({ offsets, progress }: Pick<Stores, 'offsets' | 'progress'>): Promise<void> {
  const ends = allPartitions(await offsets.ends('webhooks'));
  if (!(await progress.webhooks.reached('webhooks', ends, modelTimeoutMs))) {
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

function refuseMissingKeys(results: readonly Resealed[]): void {
  const undone = results.filter(({ missingKeys }) => missingKeys.length > 0);
  if (undone.length === 0) {
    return;
  }
  const keys = [...new Set(undone.flatMap(({ missingKeys }) => missingKeys))].map((id) => `"${id}"`);
  const ids = undone.slice(0, namedWebhooks).map(({ webhookId }) => webhookId);
  throw new CommandFailure(
    `POSTRIDER_ENCRYPTION_KEYS lacks ${keys.join(', ')}, which secrets of ${undone.length} webhooks need ` +
      `(${ids.join(', ')}${undone.length > ids.length ? ', …' : ''}). All others are under the first key.`,
  );
}

async function refuseNewOnes(stores: FindingStores, key: string): Promise<void> {
  if ((await findSealedOtherwise(stores, key)).length > 0) {
    throw new CommandFailure(
      `Meanwhile a secret was sealed with another key than "${key}": some process still has that one first. ` +
        'Start them all again with the present setting, and then run this again.',
    );
  }
}
