import type { ApiKey } from '../../shared/domain/account.js';
import { isExpired } from '../../shared/domain/apiKey.js';

/** A key as an answer shows it: nothing from which its secret could be found. */
export function apiKeyRepresentation(
  apiKey: Omit<ApiKey, 'hash'>,
  { now, lastUsedAt }: { readonly now: Date; readonly lastUsedAt: Date | null },
) {
  return {
    id: apiKey.id,
    name: apiKey.name,
    mode: apiKey.mode,
    scopes: apiKey.scopes,
    prefix: apiKey.prefix,
    last4: apiKey.last4,
    status: isExpired(apiKey, now) ? 'expired' : 'active',
    created: apiKey.created.toISOString(),
    expiresAt: apiKey.expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
