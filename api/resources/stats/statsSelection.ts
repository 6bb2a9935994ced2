import type { Mode } from '../../../shared/domain/core/fact.js';
import type { Webhook } from '../../../shared/domain/webhooks/webhook.js';
import { tenantIdOf, type TenantDocument } from '../../../shared/store/models/documents.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { statsSeries, type StatsSeriesName } from '../../../shared/store/models/statsDocuments.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import type { Owner } from '../../http/ownership.js';

/** A series of an account in one mode. */
export interface SelectedSeries {
  readonly name: StatsSeriesName;
  /** The offsets from which events count, by partition number; missing if all events count. */
  readonly eventsFrom?: readonly number[];
}

/** The series that together are the statistics of a request. */
export interface StatsSelection {
  readonly accountId: string;
  readonly mode: Mode;
  readonly added: readonly SelectedSeries[];
  /** A series whose counts are subtracted, because another series contains them too. */
  readonly removed: SelectedSeries | null;
}

export interface SelectStatsDependencies {
  /** Finds the tenant of a webhook that the caller sees, or null. A deleted webhook keeps its tenant. */
  readonly tenantOfWebhook: (owner: Owner, webhookId: string) => Promise<Pick<Webhook, 'tenantId'> | null>;
  readonly tenants: Pick<ReadModel<TenantDocument>, 'findByIds'>;
}

interface StatsRequest {
  readonly caller: Owner;
  /** The tenant of the request: null for what has no tenant, undefined for everything. */
  readonly tenantId: string | null | undefined;
  readonly webhookId: string | undefined;
  /** The start of the first bucket, in milliseconds since 1970. */
  readonly start: number;
}

/** @throws UnavailableError while a read model that the selection needs is incomplete */
type SelectStats = (request: StatsRequest) => Promise<StatsSelection>;

/**
 * Selects the series of a request:
 * - An account without a filter has its own series, and the series of a webhook needs no look-up.
 * - A tenant is selected by the `tenantId` of its events, and by the lives of its webhooks. An unknown tenant may have
 *   events.
 * - A tenant caller sees the events and attempts of its life.
 */
export function createSelectStats({ tenantOfWebhook, tenants }: SelectStatsDependencies): SelectStats {
  /** The series of the lives of a tenant that had webhooks since a time. */
  const livesOf = async ({ accountId, mode }: Owner, tenantId: string, start: number) => {
    const id = tenantIdOf(accountId, mode, tenantId);
    const [tenant] = completeDocuments(await tenants.findByIds(accountId, [id]));
    if (tenant === undefined) {
      return [];
    }
    const ended = tenant.ended.filter(({ deletedAt }) => deletedAt.getTime() + longestAttemptMs >= start);
    const current = tenant.status === 'active' ? [tenant] : [];
    return [...ended, ...current].map(({ lifeId }) => ({ name: statsSeries.ofLife(lifeId) }));
  };

  const ofWebhook = async ({ caller, tenantId }: StatsRequest, webhookId: string) => {
    const isSelected =
      tenantId === undefined || (await tenantOfWebhook(caller, webhookId))?.tenantId === tenantId;
    return isSelected ? [{ name: webhookId }] : [];
  };

  const ofTenant = async ({ caller, start }: StatsRequest, tenantId: string) => {
    const { tenant } = caller;
    const name = statsSeries.ofTenant(tenantId);
    return tenant === null
      ? [{ name }, ...(await livesOf(caller, tenantId, start))]
      : [{ name, eventsFrom: tenant.eventsFrom }, { name: statsSeries.ofLife(tenant.lifeId) }];
  };

  const addedSeries = async (request: StatsRequest): Promise<readonly SelectedSeries[]> => {
    const { tenantId = null, webhookId } = request;
    if (webhookId !== undefined) {
      return ofWebhook(request, webhookId);
    }
    return tenantId === null ? [{ name: statsSeries.all }] : ofTenant(request, tenantId);
  };

  return async (request) => {
    const { accountId, mode } = request.caller;
    const hasRemoved = request.tenantId === null && request.webhookId === undefined;
    return {
      accountId,
      mode,
      added: await addedSeries(request),
      removed: hasRemoved ? { name: statsSeries.assigned } : null,
    };
  };
}

/** More than the longest time between the deletion of a tenant and the record of an attempt that was in flight. */
const longestAttemptMs = 3_600_000;
