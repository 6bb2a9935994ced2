import type { TenantLife } from '../../../shared/domain/tenants/tenant.js';
import { everyTenant } from '../../../shared/domain/tenants/tenantId.js';
import type { Webhook } from '../../../shared/domain/webhooks/webhook.js';
import { tenantIdOf, type TenantDocument } from '../../../shared/store/models/documents.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { isApiError, unknownTenant, type ApiError } from '../../http/apiError.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import { requestedTenant, type Owner } from '../../http/ownership.js';

export type WebhookTenant = Pick<Webhook, 'tenantId' | 'tenancy'>;

interface EventsOfTenant {
  /**
   * The offsets from which the tenant of a webhook has events; missing for a webhook without a tenant, and for a webhook
   * of every tenant.
   */
  readonly tenantFrom?: readonly number[];
}

/** The tenants of webhooks. The look-ups throw UnavailableError while the read model of tenants is incomplete. */
export interface WebhookTenants {
  /**
   * The tenant of a new webhook, or the error if the caller cannot create a webhook for it.
   * @param given the `tenantId` of the request; undefined if the request has none
   */
  readonly ofNew: (caller: Owner, given: string | null | undefined) => Promise<WebhookTenant | ApiError>;
  /** The events of the tenant of a webhook, or null if the life of the tenant has ended. */
  readonly ofWebhook: (webhook: Webhook) => Promise<EventsOfTenant | null>;
}

export function createWebhookTenants(tenants: Pick<ReadModel<TenantDocument>, 'findByIds'>): WebhookTenants {
  const lifeOf = async (
    { accountId, mode }: Pick<Owner, 'accountId' | 'mode'>,
    tenantId: string,
  ): Promise<TenantLife | null> => {
    const id = tenantIdOf(accountId, mode, tenantId);
    const [tenant] = completeDocuments(await tenants.findByIds(accountId, [id]));
    return tenant?.status === 'active' ? tenant : null;
  };

  return {
    ofNew: async (caller, given) => {
      const requested = requestedTenant(caller, given);
      if (isApiError(requested)) {
        return requested;
      }
      const { tenantId = null } = requested;
      if (tenantId === null || tenantId === everyTenant) {
        return { tenantId, tenancy: tenantId };
      }
      const life = await lifeOf(caller, tenantId);
      return life !== null && isOwnLife(caller, life)
        ? { tenantId, tenancy: life.lifeId }
        : unknownTenant(tenantId);
    },
    ofWebhook: async (webhook) => {
      const { tenantId, tenancy } = webhook;
      if (tenantId === null || tenantId === everyTenant) {
        return {};
      }
      const life = await lifeOf(webhook, tenantId);
      return life !== null && life.lifeId === tenancy ? { tenantFrom: life.eventsFrom } : null;
    },
  };
}

/** A tenant caller of an earlier life may not have noticed the end of its life yet. */
function isOwnLife({ tenant }: Owner, { lifeId }: TenantLife): boolean {
  return tenant === null || tenant.lifeId === lifeId;
}
