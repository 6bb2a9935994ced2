import { createHash } from 'node:crypto';

import type { Mode } from '../core/fact.js';
import type { Account, ApiKey } from './account.js';

/** The maximum number of API keys of an account in one mode. An expired key counts until it is deleted. */
export const maximumApiKeysPerMode = 100;

/** Random bytes in the secret of an API key. With so many random bytes, a fast hash is enough. */
export const apiKeySecretBytes = 32;

/** The secret of an API key, which a client sends: `sk_live_…` or `sk_test_…`. */
export function apiKeySecret(mode: Mode, bytes: Buffer): string {
  return `${prefixOf(mode)}${bytes.toString('base64url')}`;
}

/**
 * The pattern of an API key's secret: `sk_`, the mode, `_`, and 32 bytes in base64url without padding. The last of the
 * 43 characters encodes only four bits, so 16 characters are possible.
 */
const secretForm = /^sk_(?:live|test)_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** Whether a text has the form of an API key's secret. A text of another form needs no lookup. */
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

/** Whether an API key has expired. */
export function isExpired({ expiresAt }: Pick<ApiKey, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

export function hasMaximumOfApiKeys({ apiKeys }: Pick<Account, 'apiKeys'>, mode: Mode): boolean {
  return apiKeys.filter((apiKey) => apiKey.mode === mode).length >= maximumApiKeysPerMode;
}

/**
 * Whether an API key is the only valid full key of its mode. Without a full key, no client could create another key.
 */
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
