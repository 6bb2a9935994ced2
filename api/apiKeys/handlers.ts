import type { Clock } from '../../shared/clock.js';
import type { KeyUses } from '../../shared/mongo/keyUses.js';
import type { ReadModels } from '../../shared/mongo/readModels.js';
import { jsonAnswer } from '../answer.js';
import type { Caller } from '../caller.js';
import { insufficientScope } from '../middleware/permission.js';
import { rangeOf } from '../paging.js';
import { isRefusal, refusal, type Refusal } from '../refusal.js';
import { createRemoval } from '../removal.js';
import type { KeyHandler, noBody, noQuery } from '../route.js';
import type { ApiKeyCommands, ApiKeySettings } from './apiKeyCommands.js';
import { readKeyRing } from './keyRing.js';
import { apiKeyRepresentation } from './representation.js';
import type { createApiKeyBody, listApiKeysQuery } from './schemas.js';

export interface ApiKeyHandlers {
  readonly create: KeyHandler<typeof createApiKeyBody, typeof noQuery>;
  readonly list: KeyHandler<typeof noBody, typeof listApiKeysQuery>;
  readonly remove: KeyHandler<typeof noBody, typeof noQuery>;
}

export interface ApiKeyHandlerDependencies {
  readonly commands: ApiKeyCommands;
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
  readonly keyUses: Pick<KeyUses, 'find' | 'forget'>;
  readonly clock: Clock;
}

export function createApiKeyHandlers(dependencies: ApiKeyHandlerDependencies): ApiKeyHandlers {
  const { commands, accounts, keyUses, clock } = dependencies;

  return {
    create: async ({ caller, body, identity }) => {
      const { created: at } = identity;
      const settings = { ...body, mode: body.mode ?? caller.mode };
      const created =
        refusedSettings(caller, settings, at) ?? (await commands.create(caller, settings, identity));
      if (isRefusal(created)) {
        return created;
      }
      const shown = apiKeyRepresentation(created.apiKey, { now: at, lastUsedAt: null });
      return jsonAnswer({ ...shown, secret: created.secret });
    },

    list: async ({ caller, query }) => {
      const keyRing = await readKeyRing(accounts, caller);
      const range = await rangeOf(query, (id) => Promise.resolve(keyRing.placeOf(id)));
      if (isRefusal(range)) {
        return range;
      }
      const { items, hasMore } = keyRing.page(range);
      const uses = await keyUses.find(items.map(({ id }) => id));
      const now = clock();
      const data = items.map((apiKey) =>
        apiKeyRepresentation(apiKey, { now, lastUsedAt: uses.get(apiKey.id) ?? null }),
      );
      return jsonAnswer({ data, hasMore });
    },

    remove: createRemoval(commands.remove, keyUses),
  };
}

function refusedSettings(caller: Caller, { mode, expiresAt }: ApiKeySettings, now: Date): Refusal | null {
  if (expiresAt !== null && expiresAt <= now) {
    return refusal('parameter_invalid', 'expiresAt must be in the future.', { param: 'expiresAt' });
  }
  return caller.mode === 'test' && mode === 'live' ? liveKeyRequired : null;
}

const liveKeyRequired = insufficientScope('A test key manages test keys only: use a full live key for this.');
