import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';

import type { SealedSecret } from '../domain/webhooks/signingSecrets.js';

export interface EncryptionKey {
  readonly id: string;
  /** The 32 bytes of the encryption key. */
  readonly bytes: Buffer;
}

export interface SecretBox {
  /**
   * Seals a secret.
   * @param owner the id of the resource that the secret belongs to. A secret that is sealed for one owner cannot be
   *   opened for another owner.
   */
  seal: (secret: Buffer, owner: string) => SealedSecret;
  /** Opens a sealed secret; null if its encryption key is unknown or its bytes were changed. */
  open: (sealed: SealedSecret, owner: string) => Buffer | null;
}

const algorithm = 'aes-256-gcm';
/** The length of the nonce: 96 bits, as NIST SP 800-38D recommends for GCM. */
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Creates a secret box, which seals with the first encryption key and opens with all, so that encryption keys can be
 * rotated.
 */
export function createSecretBox(keys: readonly EncryptionKey[]): SecretBox {
  // Keys are prepared once, because a list of webhooks opens a hundred secrets.
  const prepared = keys.map(({ id, bytes }) => ({ id, key: createSecretKey(bytes) }));
  const keysById = new Map(prepared.map(({ id, key }) => [id, key]));
  const [sealingKey] = prepared;
  return {
    seal: (secret, owner) => {
      if (sealingKey === undefined) {
        throw new Error('POSTRIDER_ENCRYPTION_KEYS contains no encryption key');
      }
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, sealingKey.key, nonce).setAAD(Buffer.from(owner));
      const text = Buffer.concat([cipher.update(secret), cipher.final()]);
      return {
        key: sealingKey.id,
        sealed: Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64'),
      };
    },
    open: ({ key: keyId, sealed }, owner) => {
      const key = keysById.get(keyId);
      const text = Buffer.from(sealed, 'base64');
      return key === undefined || text.length < nonceBytes + tagBytes ? null : opened(text, key, owner);
    },
  };
}

function opened(text: Buffer, key: KeyObject, owner: string): Buffer | null {
  try {
    const decipher = createDecipheriv(algorithm, key, text.subarray(0, nonceBytes))
      .setAAD(Buffer.from(owner))
      .setAuthTag(text.subarray(-tagBytes));
    return Buffer.concat([decipher.update(text.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  } catch {
    return null;
  }
}
