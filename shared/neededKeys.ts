import { setTimeout as pause } from 'node:timers/promises';

import type { Clock } from './clock.js';
import { validAt } from './domain/signingSecrets.js';
import { UnavailableError } from './errors.js';
import { webhookIndexes } from './mongo/indexes.js';
import type { ReadModels } from './mongo/readModels.js';
import { sealedWithNoneOf } from './mongo/sealedSecrets.js';
import type { EncryptionKey } from './secretBox.js';

/** A setting lacks an encryption key that something still needs: whoever runs the service has to put it back. */
class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
}

export interface NeededKeysDependencies {
  readonly models: Pick<ReadModels, 'webhooks'>;
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly clock: Clock;
}

const pauseMs = 1000;
/** How many webhooks the message names. */
const namedWebhooks = 3;

/**
 * Refuses to run without an encryption key that the secret of a webhook is sealed with: its deliveries would wait, and nobody
 * would know why. While the read model is being built it cannot tell, and looks again until it can.
 * @param onMissing told where a key turns out to be missing only then
 * @returns what stops looking
 * @throws MissingKeyError where it can tell at once
 */
export async function refuseMissingKeys(
  dependencies: NeededKeysDependencies,
  onMissing: (error: Error) => void,
): Promise<() => Promise<void>> {
  const stopping = new AbortController();

  const lookAgain = async () => {
    while (!stopping.signal.aborted && !(await isAnswered(dependencies))) {
      await pause(pauseMs, null, { signal: stopping.signal }).catch(() => null);
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

/** @returns false where the model cannot tell yet */
async function isAnswered({ models, encryptionKeys, clock }: NeededKeysDependencies): Promise<boolean> {
  const known = encryptionKeys.map(({ id }) => id);
  const now = clock();
  try {
    const webhooks = await models.webhooks.findPage({
      ranges: [{ filter: sealedWithNoneOf(known, now), sort: { _id: 1 } }],
      limit: namedWebhooks + 1,
      index: webhookIndexes.bySecretKey.key,
      without: ['recordIds'],
    });
    const sealedWith = webhooks.flatMap((webhook) =>
      webhook.status === 'deleted' ? [] : validAt(webhook.secrets, now).map(({ secret }) => secret.key),
    );
    const keyId = sealedWith.find((id) => !known.includes(id));
    if (keyId !== undefined) {
      throw new MissingKeyError(
        messageFor(
          keyId,
          webhooks.map(({ _id }) => _id),
        ),
      );
    }
    return true;
  } catch (error) {
    if (error instanceof UnavailableError) {
      return false;
    }
    throw error;
  }
}

function messageFor(keyId: string, webhookIds: readonly string[]): string {
  const named = webhookIds.slice(0, namedWebhooks).join(', ');
  const more = webhookIds.length > namedWebhooks ? ' and others' : '';
  return (
    `POSTRIDER_ENCRYPTION_KEYS has no key "${keyId}", which secrets of ${named}${more} are sealed with. ` +
    'Put it back behind the others; it may go after: postrider secrets reencrypt'
  );
}
