import type { Change } from '../core/fact.js';

/** A signing secret's 32 bytes as the log and the read model hold them: sealed with the key named `key`, for this webhook alone. */
export interface SealedSecret {
  readonly key: string;
  /** Base64 of nonce, ciphertext and tag (AES-256-GCM; the webhook's id is the associated data). */
  readonly sealed: string;
}

export interface SigningSecret {
  readonly secret: SealedSecret;
  /** Null for the current secret; a rotated one signs until then. */
  readonly expiresAt: Date | null;
}

/** The current secret first. */
export type SigningSecrets = readonly SigningSecret[];

/** Each one is a signature on every delivery: whoever rotates more often than this within a week ends the oldest early. */
const maximumSigningSecrets = 10;

/** The secrets after a rotation: the new one, and those before it until each of them expires. */
export function rotated(
  secrets: SigningSecrets,
  secret: SealedSecret,
  previousExpiresAt: Date,
): SigningSecrets {
  const earlier = secrets.map((one) => ({ ...one, expiresAt: one.expiresAt ?? previousExpiresAt }));
  return [{ secret, expiresAt: null }, ...earlier].slice(0, maximumSigningSecrets);
}

/**
 * The same secrets, some of them sealed with another key. Each is known by how it was sealed before: whatever has come or
 * gone since then is not taken for another.
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

/** The secrets that sign at this time. The list itself where none has expired. */
export function validAt(secrets: SigningSecrets, at: Date): SigningSecrets {
  const isValid = ({ expiresAt }: SigningSecret) => expiresAt === null || expiresAt > at;
  return secrets.every(isValid) ? secrets : secrets.filter(isValid);
}
