import { validSecrets } from '../../../shared/domain/webhooks/signingSecrets.js';
import type { Webhook } from '../../../shared/domain/webhooks/webhook.js';
import type { SecretBox } from '../../../shared/security/secretBox.js';

/** The prefix of signing secrets in Standard Webhooks 1.0.0. */
const secretPrefix = 'whsec_';

/** A signing secret as users see it: `whsec_` and Base64. */
export function secretText(secret: Buffer): string {
  return `${secretPrefix}${secret.toString('base64')}`;
}

/**
 * What a response says about the signing secrets of a webhook. `last4` is the end of the current secret's text; null if
 * no key of this process opens the secret.
 */
export function secretInfoOf(
  { id, secrets, created }: Pick<Webhook, 'id' | 'secrets' | 'created'>,
  secretBox: Pick<SecretBox, 'open'>,
  now: Date,
) {
  const [current, ...previous] = validSecrets(secrets, now);
  const opened = current === undefined ? null : secretBox.open(current.secret, id);
  const ends = previous.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt.getTime()]));
  return {
    last4: opened === null ? null : secretText(opened).slice(-4),
    created: (current?.created ?? created).toISOString(),
    previousExpiresAt: ends.length === 0 ? null : new Date(Math.max(...ends)).toISOString(),
  };
}
