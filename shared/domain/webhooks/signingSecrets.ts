import type { Change } from '../core/fact.js';

/**
 * A signing secret (24 to 64 bytes) or a credential in the log and the read model. The encryption key with the name
 * `key` seals it for its owner alone.
 */
export interface SealedSecret {
  readonly key: string;
  /** Base64 of nonce, ciphertext and tag (AES-256-GCM; a secret's associated data is the id of its webhook). */
  readonly sealed: string;
}

export interface SigningSecret {
  readonly secret: SealedSecret;
  /** When the webhook got the secret. */
  readonly created: Date;
  /** When a rotated signing secret expires; null for the current signing secret. */
  readonly expiresAt: Date | null;
}

/** The signing secrets of a webhook, the current secret first. */
export type SigningSecrets = readonly SigningSecret[];

/**
 * The maximum number of signing secrets of a webhook. Each signing secret adds a signature to every attempt. After more
 * rotations within a week, the oldest secret ends early.
 */
const maximumSigningSecrets = 10;

/**
 * The signing secrets after a rotation: the new secret, and each earlier secret until it expires. No earlier secret signs
 * for longer than the previous one, so a rotation without overlap after a leak ends them all.
 */
export function rotated(
  secrets: SigningSecrets,
  { secret, created }: Pick<SigningSecret, 'secret' | 'created'>,
  previousExpiresAt: Date,
): SigningSecrets {
  const earlier = secrets.map((one) => ({
    ...one,
    expiresAt:
      one.expiresAt !== null && one.expiresAt < previousExpiresAt ? one.expiresAt : previousExpiresAt,
  }));
  return [{ secret, created, expiresAt: null }, ...earlier].slice(0, maximumSigningSecrets);
}

/**
 * The signing secrets after some were sealed with another encryption key. The earlier sealed form identifies each
 * secret, so secrets that were added or removed meanwhile are not changed.
 */
export function reencrypted(
  secrets: SigningSecrets,
  changes: readonly Change<SealedSecret>[],
): SigningSecrets {
  const sealedAgain = new Map(changes.map(({ from, to }) => [from.sealed, to]));
  return secrets.map((one) => ({ ...one, secret: sealedAgain.get(one.secret.sealed) ?? one.secret }));
}

/** The signing secrets that are valid at a given time. If none has expired, the returned list is the given list. */
export function validSecrets(secrets: SigningSecrets, at: Date): SigningSecrets {
  const isValid = ({ expiresAt }: SigningSecret) => expiresAt === null || expiresAt > at;
  return secrets.every(isValid) ? secrets : secrets.filter(isValid);
}
