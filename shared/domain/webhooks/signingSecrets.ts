import type { Change } from '../core/fact.js';

/**
 * The 32 bytes of a signing secret in the log and the read model. The key named `key` seals them for this webhook
 * alone.
 */
export interface SealedSecret {
  readonly key: string;
  /** Base64 of nonce, ciphertext and tag (AES-256-GCM; the webhook's id is the associated data). */
  readonly sealed: string;
}

export interface SigningSecret {
  readonly secret: SealedSecret;
  /** Null for the current secret. A rotated secret signs until this time. */
  readonly expiresAt: Date | null;
}

/** The current secret first. */
export type SigningSecrets = readonly SigningSecret[];

/**
 * The most secrets, each of which adds a signature to every delivery. With more rotations within a week, the oldest
 * secret ends early.
 */
const maximumSigningSecrets = 10;

/** The secrets after a rotation: the new one, and the earlier ones until each expires. */
export function rotated(
  secrets: SigningSecrets,
  secret: SealedSecret,
  previousExpiresAt: Date,
): SigningSecrets {
  const earlier = secrets.map((one) => ({ ...one, expiresAt: one.expiresAt ?? previousExpiresAt }));
  return [{ secret, expiresAt: null }, ...earlier].slice(0, maximumSigningSecrets);
}

/**
 * The same secrets, some of them sealed with another key. Each is identified by its earlier sealed form, so a secret
 * that was added or removed meanwhile is not mistaken for another.
 */
export function reencrypted(
  secrets: SigningSecrets,
  changes: readonly Change<SealedSecret>[],
): SigningSecrets {
  const sealedAgain = new Map(changes.map(({ from, to }) => [from.sealed, to]));
  return secrets.map(({ secret, expiresAt }) => ({
    secret: sealedAgain.get(secret.sealed) ?? secret,
    expiresAt,
  }));
}

/** The secrets that sign at this time. The same list if none has expired. */
export function validSecrets(secrets: SigningSecrets, at: Date): SigningSecrets {
  const isValid = ({ expiresAt }: SigningSecret) => expiresAt === null || expiresAt > at;
  return secrets.every(isValid) ? secrets : secrets.filter(isValid);
}
