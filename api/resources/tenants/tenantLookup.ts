import type { TenantState } from '../../../shared/domain/tenants/tenant.js';
import { isTenantId } from '../../../shared/domain/tenants/tenantId.js';
import { tenantIdOf, type TenantDocument } from '../../../shared/store/models/documents.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { storedTenant } from '../../../shared/store/queries/storedDocuments.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import type { Caller } from '../../http/context.js';
import type { ListPosition } from '../../http/paging.js';

type Owner = Pick<Caller, 'accountId' | 'mode'>;

/** Reads of tenants. Reading a tenant throws UnavailableError while the read model is incomplete. */
export interface TenantLookup {
  /** An existing or deleted tenant of the caller's account and mode. */
  find: (owner: Owner, tenantId: string) => Promise<TenantState>;
  /** The position of a tenant in the caller's list. A deleted tenant also has a position. */
  positionOf: (owner: Owner, tenantId: string) => Promise<ListPosition | null>;
}

export function createTenantLookup(tenants: Pick<ReadModel<TenantDocument>, 'findByIds'>): TenantLookup {
  const findDocument = async ({ accountId, mode }: Owner, tenantId: string) => {
    const ids = isTenantId(tenantId) ? [tenantIdOf(accountId, mode, tenantId)] : [];
    const [document] = completeDocuments(await tenants.findByIds(accountId, ids));
    return document ?? null;
  };

  return {
    find: async (owner, tenantId) => {
      const document = await findDocument(owner, tenantId);
      return document === null ? null : storedTenant(document);
    },
    positionOf: async (owner, tenantId) => {
      const document = await findDocument(owner, tenantId);
      return document === null ? null : { id: document._id, created: document.created };
    },
  };
}
