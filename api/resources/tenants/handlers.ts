import { maximumLives, type Tenant } from '../../../shared/domain/tenants/tenant.js';
import { isTenantId } from '../../../shared/domain/tenants/tenantId.js';
import type { TenantDocument } from '../../../shared/store/models/documents.js';
import { tenantIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { storedTenant } from '../../../shared/store/queries/storedDocuments.js';
import type { TenantCommands } from '../../../shared/tenants/tenantCommands.js';
import { apiError, isApiError, missingResource } from '../../http/apiError.js';
import { accountFilter } from '../../http/ownership.js';
import { rangeOf, readPage } from '../../http/paging.js';
import { jsonResponse } from '../../http/response.js';
import type { TenantHandlers } from './routes.js';
import type { TenantLookup } from './tenantLookup.js';

export interface TenantHandlerDependencies {
  readonly commands: TenantCommands;
  readonly tenants: Pick<ReadModel<TenantDocument>, 'findListPage'>;
  readonly lookup: TenantLookup;
}

export function createTenantHandlers({
  commands,
  tenants,
  lookup,
}: TenantHandlerDependencies): TenantHandlers {
  return {
    put: async ({ caller, id, body, identity }) => {
      if (!isTenantId(id)) {
        return invalidId;
      }
      const put = await commands.put(caller, id, body, identity);
      return put === null
        ? tooManyLives
        : { ...jsonResponse(representation(put.tenant)), status: put.isCreated ? 201 : 200 };
    },

    list: async ({ caller, query }) => {
      const range = await rangeOf(query, (id) => lookup.positionOf(caller, id));
      const filter = { ...accountFilter(caller), status: 'active', ...searchFilter(query.search) };
      const page = await readPage(tenants, { filter, index: tenantIndexes.list.key }, range);
      if (isApiError(page)) {
        return page;
      }
      const shown = page.items.map(storedTenant).filter((tenant) => tenant.status === 'active');
      return jsonResponse({ data: shown.map(representation), hasMore: page.hasMore });
    },

    retrieve: async ({ caller, id }) => {
      const tenant = await lookup.find(caller, id);
      return tenant?.status === 'active'
        ? jsonResponse(representation(tenant))
        : missingResource('tenant', id);
    },

    remove: async ({ caller, id, identity }) =>
      isTenantId(id) && (await commands.remove(caller, id, identity))
        ? jsonResponse({ id, deleted: true })
        : missingResource('tenant', id),
  };
}

function representation({ tenantId: id, name, metadata, created, mode }: Tenant) {
  return { id, name, metadata, created: created.toISOString(), mode };
}

/** The filter for a text in the id or the name of a tenant, without regard to case. */
function searchFilter(search: string | undefined) {
  if (search === undefined) {
    return {};
  }
  const containing = { $regex: search.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`), $options: 'i' };
  return { $or: [{ tenantId: containing }, { name: containing }] };
}

const tooManyLives = apiError(
  'parameter_invalid',
  `The tenant was deleted ${String(maximumLives)} times, so it cannot be created again. Use another id.`,
  { param: 'id' },
);

const invalidId = apiError(
  'parameter_invalid',
  'A tenant id has 1 to 128 characters: letters, digits and _ . : -. The ids null, . and .. are reserved.',
  { param: 'id' },
);
