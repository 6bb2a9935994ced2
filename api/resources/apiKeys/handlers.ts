import type { Clock } from '../../../shared/core/clock.js';
import type { LastUsed } from '../../../shared/store/coordination/lastUsed.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { jsonAnswer } from '../../http/answer.js';
import type { Caller } from '../../http/caller.js';
import { insufficientScope } from '../../middleware/permission.js';
import { rangeOf } from '../../http/paging.js';
import { isApiError, apiError, type ApiError } from '../../http/apiError.js';
import { createDeletion } from '../users/deletion.js';
import type { KeyHandler, noBody, noQuery } from '../../http/route.js';
import type { ApiKeyCommands, ApiKeySettings } from './apiKeyCommands.js';
import { readKeyRing } from './keyRing.js';
import type { createApiKeyBody, listApiKeysQuery } from './schemas.js';
import type { ApiKey } from '../../../shared/domain/accounts/account.js';
import { isExpired } from '../../../shared/domain/accounts/apiKey.js';

export interface ApiKeyHandlers {
  readonly create: KeyHandler<typeof createApiKeyBody, typeof noQuery>;
  readonly list: KeyHandler<typeof noBody, typeof listApiKeysQuery>;
  readonly remove: KeyHandler<typeof noBody, typeof noQuery>;
}

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
        refusedSettings(caller, settings, at) ?? (await commands.create(caller, settings, identity));
      if (isApiError(created)) {
        return created;
      }
      const shown = apiKeyRepresentation(created.apiKey, { now: at, lastUsedAt: null });
      return jsonAnswer({ ...shown, secret: created.secret });
    },

    list: async ({ caller, query }) => {
      const keyRing = await readKeyRing(accounts, caller);
      const range = await rangeOf(query, (id) => Promise.resolve(keyRing.placeOf(id)));
      if (isApiError(range)) {
        return range;
      }
      const { items, hasMore } = keyRing.page(range);
      const uses = await lastUsed.find(items.map(({ id }) => id));
      const now = clock();
      const data = items.map((apiKey) =>
        apiKeyRepresentation(apiKey, { now, lastUsedAt: uses.get(apiKey.id) ?? null }),
      );
      return jsonAnswer({ data, hasMore });
    },

    remove: createDeletion(commands.remove, lastUsed),
  };
}

function refusedSettings(caller: Caller, { mode, expiresAt }: ApiKeySettings, now: Date): ApiError | null {
  if (expiresAt !== null && expiresAt <= now) {
    return apiError('parameter_invalid', 'expiresAt must be in the future.', { param: 'expiresAt' });
  }
  return caller.mode === 'test' && mode === 'live' ? liveKeyRequired : null;
}

const liveKeyRequired = insufficientScope('A test key manages test keys only: use a full live key for this.');

/** A key as an answer shows it: nothing from which its secret could be found. */
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
