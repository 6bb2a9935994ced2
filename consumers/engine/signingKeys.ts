import type { Clock } from '../../shared/core/clock.js';
import { validAt, type SealedSecret } from '../../shared/domain/webhooks/signingSecrets.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { SecretBox } from '../../shared/security/secretBox.js';

/**
 * The secrets that a webhook signs with now, as bytes.
 * @throws where one cannot be opened with any of the encryption keys
 */
export type SigningKeys = (webhook: Pick<Webhook, 'id' | 'secrets'>) => readonly Buffer[];

/**
 * Opens each secret once for every state of a webhook that is read, and forgets it together with that state: to open it for
 * each attempt was 2 % of the time of a busy process.
 */
export function createSigningKeys({ secrets, clock }: { secrets: SecretBox; clock: Clock }): SigningKeys {
  const opened = new WeakMap<SealedSecret, Buffer>();

  const open = (sealed: SealedSecret, webhookId: string): Buffer => {
    const bytes = opened.get(sealed) ?? secrets.open(sealed, webhookId);
    if (bytes === null) {
      throw new Error(`the secret of ${webhookId} cannot be opened with any of the encryption keys`);
    }
    opened.set(sealed, bytes);
    return bytes;
  };

  return ({ id, secrets: sealed }) => validAt(sealed, clock()).map(({ secret }) => open(secret, id));
}
