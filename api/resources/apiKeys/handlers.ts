import type { Clock } from '../../../shared/core/clock.js';
import type { ApiKey } from '../../../shared/domain/accounts/account.js';
import { isExpired } from '../../../shared/domain/accounts/apiKey.js';
import type { LastUsed } from '../../../shared/store/coordination/lastUsed.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { apiError, isApiError, type ApiError } from '../../http/apiError.js';
import type { Caller } from '../../http/context.js';
import { rangeOf } from '../../http/paging.js';
import { jsonResponse } from '../../http/response.js';
import { insufficientScope } from '../../middleware/authorization.js';
import type { ApiKeyCommands, ApiKeySettings } from './apiKeyCommands.js';
import { readManagedApiKeys } from './managedApiKeys.js';
import type { ApiKeyHandlers } from './routes.js';

export interface ApiKeyHandlerDependencies {
  readonly commands: ApiKeyCommands;
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
  readonly lastUsed: Pick<LastUsed, 'find' | 'forget'>;
  readonly clock: Clock;
}

export function createApiKeyHandlers(dependencies: ApiKeyHandlerDependencies): ApiKeyHandlers {
  const { commands, accounts, lastUsed, clock } = dependencies;

  return {
    create: async ({ caller, body, identity }) => {
      const { created: at } = identity;
      const settings = { ...body, mode: body.mode ?? caller.mode };
      const created =
        settingsError(caller, settings, at) ?? (await commands.create(caller, settings, identity));
      if (isApiError(created)) {
        return created;
      }
      const shown = apiKeyRepresentation(created.apiKey, { now: at, lastUsedAt: null });
      return jsonResponse({ ...shown, secret: created.secret });
    },

    list: async ({ caller, query }) => {
      const managed = await readManagedApiKeys(accounts, caller);
      const range = await rangeOf(query, (id) => Promise.resolve(managed.positionOf(id)));
      if (isApiError(range)) {
        return range;
      }
      const { items, hasMore } = managed.page(range);
      const uses = await lastUsed.find(items.map(({ id }) => id));
      const now = clock();
      const data = items.map((apiKey) =>
        apiKeyRepresentation(apiKey, { now, lastUsedAt: uses.get(apiKey.id) ?? null }),
      );
      return jsonResponse({ data, hasMore });
    },

    remove: async ({ caller, id, identity }) => {
      const removed = await commands.remove(caller, id, identity);
      if (isApiError(removed)) {
        return removed;
      }
      await lastUsed.forget(id);
      return jsonResponse({ id, deleted: true });
    },
  };
}

function settingsError(caller: Caller, { mode, expiresAt }: ApiKeySettings, now: Date): ApiError | null {
  if (expiresAt !== null && expiresAt <= now) {
    return apiError('parameter_invalid', 'expiresAt must be in the future.', { param: 'expiresAt' });
  }
  return caller.mode === 'test' && mode === 'live' ? liveKeyRequired : null;
}

const liveKeyRequired = insufficientScope('A test key can manage only test keys. Use a full live key.');

/** The representation of an API key in responses. The representation reveals nothing about the secret. */
function apiKeyRepresentation(
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
