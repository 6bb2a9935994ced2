import { isApiError } from '../../../api/http/apiError.js';
import type { TenantScope } from '../../../api/http/context.js';
import { createEventList, type EventListRequest } from '../../../api/resources/events/listEvents.js';
import type { ListedPage } from '../../../api/resources/events/representation.js';
import type { ScanLimits } from '../../../api/scans/scanSlices.js';
import { storedEvent } from '../../../api/resources/events/representation.js';
import { createPoolShares } from '../../../shared/store/client/poolShares.js';
import { shareReads, shareSearches } from '../../../shared/store/queries/readsWithinShares.js';
import { testIdentifier } from '../../support/facts.js';
import type { StoredEvents } from './storedEvents.js';

export const listOwner = { accountId: testIdentifier('acct'), mode: 'live', tenant: null } as const;

export type ReadList = (
  request: Partial<EventListRequest>,
  accountId?: string,
  tenant?: TenantScope | null,
) => Promise<ListedPage>;

/** The list of events over stored documents, without a log. */
export function listOver({ models }: StoredEvents, limits: ScanLimits): ReadList {
  const shares = createPoolShares(32);
  const { events } = shareReads(models, shares);
  const listEvents = createEventList({
    events,
    takenUp: { refresh: () => Promise.resolve(), areDeliveriesComplete: () => true },
    searches: shareSearches(models.events, shares),
    limits,
    expiry: { expiryMs: null, clock: () => new Date() },
    lookup: {
      find: async (_caller, id) => {
        const { documents } = await events.findInAllAccounts([id]);
        return documents.map((document) => storedEvent(document, () => true)).at(0) ?? null;
      },
    },
  });
  return async (request, accountId = listOwner.accountId, tenant = null) => {
    const page = await listEvents({ ...listOwner, accountId, tenant }, { limit: 20, ...request });
    if (isApiError(page)) {
      throw new Error(page.message);
    }
    return page;
  };
}
