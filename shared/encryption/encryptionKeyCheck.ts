import type { Clock } from '../core/clock.js';
import { validAt } from '../domain/webhooks/signingSecrets.js';
import { UnavailableError } from '../core/errors.js';
import { accountKeyIndexes, webhookIndexes } from '../store/models/indexes.js';
import type { ReadModels } from '../store/models/readModels.js';
import { accountKeysSealedWithNoneOf, sealedWithNoneOf } from '../store/coordination/sealedSecrets.js';
import { sleepUnlessAborted } from '../concurrency/periodicTask.js';
import type { EncryptionKey } from '../security/secretBox.js';

/** A setting lacks an encryption key that something still needs: whoever runs the service has to put it back. */
class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
}

export interface EncryptionKeyCheckDependencies {
  readonly models: Pick<ReadModels, 'webhooks' | 'accountKeys'>;
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly clock: Clock;
}

const pauseMs = 1000;
/** How many webhooks or accounts the message names. */
const namedAtMost = 3;

/**
 * Refuses to run without an encryption key that the secret of a webhook or the data key of an account is sealed with: deliveries, or
 * what happens to the account, would wait, and nobody would know why. While the read model is being built it cannot tell, and looks again until it can.
 * @param onMissing told where a key turns out to be missing only then
 * @returns what stops looking
 * @throws MissingKeyError where it can tell at once
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

/** @returns false where a model cannot tell yet */
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

/** What is sealed with a key that is not there: of which webhook or account, and with which. */
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
  const webhooks = await models.webhooks.findPage({
    ranges: [{ filter: sealedWithNoneOf(known, now), sort: { _id: 1 } }],
    limit: namedAtMost + 1,
    index: webhookIndexes.bySecretKey.key,
    without: ['recordIds'],
  });
  return webhooks.flatMap((webhook) => {
    const secrets = webhook.status === 'deleted' ? [] : validAt(webhook.secrets, now);
    const missing = secrets.find(({ secret }) => !known.includes(secret.key));
    return missing === undefined ? [] : [{ id: webhook._id, key: missing.secret.key }];
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
      'Put it back behind the others; it may go after: postrider secrets reencrypt',
  );
}
