import type { Clock } from '../../../shared/core/clock.js';
import { isExpired } from '../../../shared/domain/accounts/apiKey.js';
import { capabilities } from '../../../shared/domain/accounts/permissions.js';
import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import type { LastUsed } from '../../../shared/store/coordination/lastUsed.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { apiError, isApiError, type ApiError } from '../../http/apiError.js';
import type { Caller } from '../../http/context.js';
import { paginate, rangeOf, type Page, type PageRange } from '../../http/paging.js';
import { jsonResponse } from '../../http/response.js';
import { insufficientScope } from '../../middleware/authorization.js';
import type { ApiKeyCommands, ApiKeySettings, CreatedApiKey, ShownApiKey } from './apiKeyCommands.js';
import { readManagedApiKeys, type ManagedApiKeys } from './managedApiKeys.js';
import type { ApiKeyHandlers } from './routes.js';
import type { TenantApiKeyCommands } from './tenantApiKeyCommands.js';
import type { TenantApiKeys } from './tenantApiKeys.js';

export interface ApiKeyHandlerDependencies {
  readonly commands: ApiKeyCommands;
  readonly tenantCommands: TenantApiKeyCommands;
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
  readonly tenantKeys: Pick<TenantApiKeys, 'find' | 'positionOf' | 'page'>;
  readonly lastUsed: Pick<LastUsed, 'find' | 'forget'>;
  readonly clock: Clock;
}

export function createApiKeyHandlers(dependencies: ApiKeyHandlerDependencies): ApiKeyHandlers {
  const { commands, tenantCommands, accounts, tenantKeys, lastUsed, clock } = dependencies;

  const create = (
    caller: Caller,
    tenantId: string | null,
    settings: ApiKeySettings,
    identity: RequestIdentity,
  ): Promise<CreatedApiKey | ApiError> => {
    const { scopes: _scopes, ...settingsOfTenant } = settings;
    return tenantId === null
      ? commands.create(caller, settings, identity)
      : tenantCommands.create(caller, tenantId, settingsOfTenant, identity);
  };

  /** @param tenantId the tenant of the listed keys; null for keys without a tenant, undefined for all keys */
  const pageOfKeys = async (
    caller: Caller,
    managed: ManagedApiKeys,
    tenantId: string | null | undefined,
    range: PageRange,
  ): Promise<Page<ShownApiKey>> => {
    const ofAccount = typeof tenantId === 'string' ? nothing : managed.page(range);
    const ofTenants = tenantId === null ? nothing : await tenantKeys.page(caller, tenantId, range);
    const merged = paginate<ShownApiKey>(
      [
        ...ofAccount.items.map((apiKey) => ({ ...apiKey, tenantId: null })),
        ...ofTenants.items.map((apiKey) => ({ ...apiKey, scopes: capabilities })),
      ],
      range,
    );
    return { ...merged, hasMore: merged.hasMore || ofAccount.hasMore || ofTenants.hasMore };
  };

  return {
    create: async ({ caller, body, identity }) => {
      const { created: at } = identity;
      const { tenantId, ...given } = body;
      const settings = { ...given, mode: given.mode ?? caller.mode };
      const created =
        settingsError(caller, tenantId, settings, at) ?? (await create(caller, tenantId, settings, identity));
      if (isApiError(created)) {
        return created;
      }
      const shown = apiKeyRepresentation(created.apiKey, { now: at, lastUsedAt: null });
      return jsonResponse({ ...shown, secret: created.secret });
    },

    list: async ({ caller, query }) => {
      const managed = await readManagedApiKeys(accounts, caller);
      const range = await rangeOf(
        query,
        async (id) => managed.positionOf(id) ?? (await tenantKeys.positionOf(caller, id)),
      );
      if (isApiError(range)) {
        return range;
      }
      const { items, hasMore } = await pageOfKeys(caller, managed, query.tenantId, range);
      const uses = await lastUsed.find(items.map(({ id }) => id));
      const now = clock();
      const data = items.map((apiKey) =>
        apiKeyRepresentation(apiKey, { now, lastUsedAt: uses.get(apiKey.id) ?? null }),
      );
      return jsonResponse({ data, hasMore });
    },

    remove: async ({ caller, id, identity }) => {
      const ofTenant = await tenantKeys.find(caller, id);
      const removed =
        ofTenant === null
          ? await commands.remove(caller, id, identity)
          : await tenantCommands.remove(caller, ofTenant, identity);
      if (isApiError(removed)) {
        return removed;
      }
      await lastUsed.forget(id);
      return jsonResponse({ id, deleted: true });
    },
  };
}

const nothing: Page<never> = { items: [], hasMore: false };

function settingsError(
  caller: Caller,
  tenantId: string | null,
  { mode, scopes, expiresAt }: ApiKeySettings,
  now: Date,
): ApiError | null {
  if (expiresAt !== null && expiresAt <= now) {
    return apiError('parameter_invalid', 'expiresAt must be in the future.', { param: 'expiresAt' });
  }
  if (tenantId !== null && scopes !== null) {
    return scopesOfTenant;
  }
  return caller.mode === 'test' && mode === 'live' ? liveKeyRequired : null;
}

const scopesOfTenant = apiError(
  'parameter_invalid',
  `scopes must be missing if tenantId is given. An API key of a tenant has the scopes ${capabilities.join(', ')}.`,
  { param: 'scopes' },
);
const liveKeyRequired = insufficientScope('A test key can manage only test keys. Use a full live key.');

/** The representation of an API key in responses. The representation reveals nothing about the secret. */
function apiKeyRepresentation(
  apiKey: ShownApiKey,
  { now, lastUsedAt }: { readonly now: Date; readonly lastUsedAt: Date | null },
) {
  return {
    id: apiKey.id,
    name: apiKey.name,
    mode: apiKey.mode,
    tenantId: apiKey.tenantId,
    scopes: apiKey.scopes,
    prefix: apiKey.prefix,
    last4: apiKey.last4,
    status: isExpired(apiKey, now) ? 'expired' : 'active',
    created: apiKey.created.toISOString(),
    expiresAt: apiKey.expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
