import { createHash } from 'node:crypto';

import type { Mode } from '../core/fact.js';
import type { Account, ApiKey } from './account.js';

/** The most keys of an account in a mode. Expired keys count until they are deleted. */
export const maximumApiKeysPerMode = 100;

/** Random bytes in each secret. With so many, no slow hash is needed. */
export const apiKeySecretBytes = 32;

/** The secret that a client sends: `sk_live_…` or `sk_test_…`. */
export function apiKeySecret(mode: Mode, bytes: Buffer): string {
  return `${prefixOf(mode)}${bytes.toString('base64url')}`;
}

/** `sk_`, the mode, and base64url of 32 bytes without padding: the last of 43 characters has only its upper four bits. */
const secretForm = /^sk_(?:live|test)_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** Whether a text can be the secret of a key. Any other text needs no lookup. */
export function isApiKeySecret(text: string): boolean {
  return secretForm.test(text);
}

/** The hash by which an API key is looked up: SHA-256 of its secret, in hexadecimal. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The fields of an API key that are stored instead of its secret: hash, prefix and the last four characters. */
export function traceOfSecret(mode: Mode, secret: string): Pick<ApiKey, 'hash' | 'prefix' | 'last4'> {
  return { hash: hashOfSecret(secret), prefix: prefixOf(mode), last4: secret.slice(-4) };
}

function prefixOf(mode: Mode): string {
  return `sk_${mode}_`;
}

/** Whether the key has expired. */
export function isExpired({ expiresAt }: Pick<ApiKey, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

export function hasMaximumOfApiKeys({ apiKeys }: Pick<Account, 'apiKeys'>, mode: Mode): boolean {
  return apiKeys.filter((apiKey) => apiKey.mode === mode).length >= maximumApiKeysPerMode;
}

/** Whether no other key of its mode is a full key. Without it, no client could create a new key. */
export function isLastFullKey(
  { apiKeys }: Pick<Account, 'apiKeys'>,
  { id, mode }: Pick<ApiKey, 'id' | 'mode'>,
  now: Date,
): boolean {
  const full = apiKeys.filter(
    (apiKey) => apiKey.mode === mode && apiKey.scopes === null && !isExpired(apiKey, now),
  );
  return full.length === 1 && full[0]?.id === id;
}
