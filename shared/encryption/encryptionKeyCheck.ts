import { sleepUnlessAborted } from '../concurrency/periodicTask.js';
import type { Clock } from '../core/clock.js';
import { UnavailableError } from '../core/errors.js';
import { sealedOf } from '../domain/webhooks/credentials.js';
import type { EncryptionKey } from '../security/secretBox.js';
import {
  accountKeysSealedWithNoneOf,
  webhooksSealedWithNoneOf,
} from '../store/coordination/encryptionKeyUse.js';
import { accountKeyIndexes } from '../store/models/indexes.js';
import type { ReadModels } from '../store/models/readModels.js';

/**
 * The error for a setting that lacks a required encryption key. The operator must add the missing encryption key to the
 * setting again.
 */
class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
}

export interface EncryptionKeyCheckDependencies {
  readonly models: Pick<ReadModels, 'webhooks' | 'accountKeys'>;
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly clock: Clock;
}

const pauseMs = 1000;
/** The maximum number of webhooks or accounts that the error message names. */
const namedAtMost = 3;

/**
 * Checks that the settings contain each encryption key that seals a webhook's secret or credential, or an account's data
 * key. Without
 * the check, deliveries and commands of the account would wait for an unknown reason. While the read model is built,
 * the check cannot answer and is repeated.
 * @param onMissing called if a repeated check finds that an encryption key is missing
 * @returns a function that stops the check
 * @throws MissingKeyError if the first check finds that an encryption key is missing
 */
export async function checkEncryptionKeys(
  dependencies: EncryptionKeyCheckDependencies,
  onMissing: (error: Error) => void,
): Promise<() => Promise<void>> {
  const stopping = new AbortController();

  const lookAgain = async () => {
    while (!stopping.signal.aborted && !(await isAnswered(dependencies))) {
      await sleepUnlessAborted(stopping.signal, pauseMs);
    }
  };

  const looking = (await isAnswered(dependencies))
    ? Promise.resolve()
    : lookAgain().catch((error: unknown) => {
        onMissing(error instanceof Error ? error : new Error(String(error)));
      });
  return async () => {
    stopping.abort();
    await looking;
  };
}

/** @returns false if a read model cannot answer yet which encryption keys are needed */
async function isAnswered(dependencies: EncryptionKeyCheckDependencies): Promise<boolean> {
  try {
    refuse(await missingForWebhooks(dependencies), 'secrets');
    refuse(await missingForAccounts(dependencies), 'the data keys');
    return true;
  } catch (error) {
    if (error instanceof UnavailableError) {
      return false;
    }
    throw error;
  }
}

/** A webhook or account, and the missing encryption key that seals its secret or data key. */
interface Sealed {
  readonly id: string;
  readonly key: string;
}

async function missingForWebhooks({
  models,
  encryptionKeys,
  clock,
}: EncryptionKeyCheckDependencies): Promise<readonly Sealed[]> {
  const known = encryptionKeys.map(({ id }) => id);
  const now = clock();
  const pages = await Promise.all(
    webhooksSealedWithNoneOf(known, now).map(({ filter, index }) =>
      models.webhooks.findPage({
        ranges: [{ filter, sort: { _id: 1 } }],
        limit: namedAtMost + 1,
        index,
        without: ['recordIds'],
      }),
    ),
  );
  const webhooks = new Map(pages.flat().map((webhook) => [webhook._id, webhook]));
  return [...webhooks.values()].flatMap((webhook) => {
    const sealed = webhook.status === 'deleted' ? [] : sealedOf({ ...webhook, id: webhook._id }, now);
    const missing = sealed.find(({ value }) => !known.includes(value.key));
    return missing === undefined ? [] : [{ id: webhook._id, key: missing.value.key }];
  });
}

async function missingForAccounts({
  models,
  encryptionKeys,
}: EncryptionKeyCheckDependencies): Promise<readonly Sealed[]> {
  const known = encryptionKeys.map(({ id }) => id);
  const accounts = await models.accountKeys.findPage({
    ranges: [{ filter: accountKeysSealedWithNoneOf(known), sort: { _id: 1 } }],
    limit: namedAtMost + 1,
    index: accountKeyIndexes.bySealingKey.key,
  });
  return accounts.flatMap(({ _id: id, key }) => (key === null ? [] : [{ id, key: key.key }]));
}

function refuse(missing: readonly Sealed[], what: string): void {
  const [first] = missing;
  if (first === undefined) {
    return;
  }
  const named = missing.slice(0, namedAtMost).map(({ id }) => id);
  const more = missing.length > namedAtMost ? ' and others' : '';
  throw new MissingKeyError(
    `POSTRIDER_ENCRYPTION_KEYS has no key "${first.key}", which ${what} of ${named.join(', ')}${more} are sealed with. ` +
      'Add the key again after the other keys. To replace the key, run: postrider secrets reencrypt',
  );
}
