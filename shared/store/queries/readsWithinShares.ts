import { commonLimitKey, type LimitOwner } from '../../domain/tenants/deliveryTenant.js';
import type { PoolShares } from '../client/poolShares.js';
import type {
  DeliveryHealth,
  DeliveryHealthReads,
  DeliveryState,
  HealthModels,
} from '../health/deliveryHealth.js';
import type { WebhookVersion } from '../health/lastAttempts.js';
import type { ModelDocument } from '../models/documents.js';
import type { ReadModel, ReadModels } from '../models/readModels.js';

interface ReadShares extends Pick<PoolShares, 'lists' | 'lookups'> {
  readonly admitPage: AdmitPage;
}

/**
 * Decides whether an account may read a page. The decision follows when the read has its slot, because a waiting
 * request has no page in memory yet.
 * @throws UnavailableError if the page must not be read now
 */
export type AdmitPage = (owner: string, maximumBytes: number) => void;

/** The share of reads that the process makes for itself. */
const noAccount = '';

/** Reads of the read models, each within its share of MongoDB's connections. */
export function shareReads(
  models: ReadModels,
  pool: Pick<PoolShares, 'lists' | 'lookups'>,
  admitPage: AdmitPage = () => undefined,
): ReadModels {
  const shares = { ...pool, admitPage };
  return {
    events: shareModel(models.events, shares),
    webhooks: shareModel(models.webhooks, shares),
    accounts: shareModel(models.accounts, shares),
    accountKeys: shareModel(models.accountKeys, shares),
    attempts: shareModel(models.attempts, shares),
    audit: shareModel(models.audit, shares),
    // Statistics use the share of lists, because a series of statistics is a long range of documents.
    stats: shareModel(models.stats, { ...shares, lookups: shares.lists }),
    replays: shareModel(models.replays, shares),
    eventTypes: shareModel(models.eventTypes, shares),
    tenants: shareModel(models.tenants, shares),
    tenantApiKeys: shareModel(models.tenantApiKeys, shares),
  };
}

function shareModel<Model extends ModelDocument>(
  model: ReadModel<Model>,
  { lists, lookups, admitPage }: ReadShares,
): ReadModel<Model> {
  return {
    ...model,
    findByIds: (accountId, ids, options = {}) =>
      lookups.run(options.share ?? accountId, () => model.findByIds(accountId, ids, options)),
    findInAllAccounts: (ids, options = {}) =>
      lookups.run(options.share ?? noAccount, () => model.findInAllAccounts(ids, options)),
    findAll: (filter, options = {}) =>
      lookups.run(options.share ?? noAccount, () => model.findAll(filter, options)),
    findDistinct: (query) => lists.run(noAccount, () => model.findDistinct(query)),
    findValues: (query) => lists.run(query.share ?? noAccount, () => model.findValues(query)),
    findPage: (query) => lists.run(query.share ?? noAccount, () => model.findPage(query)),
    findPacked: (query) => lists.run(query.share ?? noAccount, () => model.findPacked(query)),
    findListPage: (query) => {
      const share = query.share ?? noAccount;
      return lists.run(share, () => {
        admitPage(share, query.maximumBytes);
        return model.findListPage(query);
      });
    },
    count: (query) => lists.run(query.share ?? noAccount, () => model.count(query)),
    countPage: (query) => lists.run(query.share ?? noAccount, () => model.countPage(query)),
  };
}

/** Searches in the data of events, each within the share of searches. */
export interface Searches {
  /**
   * Runs a search of an account or a tenant.
   * @throws UnavailableError if no search of the account or tenant can start in time
   */
  readonly run: <Result>(
    owner: LimitOwner,
    search: (events: SearchedEvents) => Promise<Result>,
  ) => Promise<Result>;
}

export type SearchedEvents = Pick<ReadModels['events'], 'countPage' | 'findListPage'>;

/**
 * The reads of a search are one piece of work of the share, so that the account's next search waits for its end. The
 * tenants of an account take turns with other accounts as one owner, and a tenant has one search in the queue.
 */
export function shareSearches(
  events: SearchedEvents,
  { searches, searchesOfTenants }: Pick<PoolShares, 'searches' | 'searchesOfTenants'>,
): Searches {
  return {
    run: (owner, search) => {
      const run = () => searches.run(commonLimitKey(owner), () => search(events));
      return owner.lifeId === null ? run() : searchesOfTenants.run(owner.lifeId, run);
    },
  };
}

/** The reads of the health of webhooks, each within its share, which is usually an account. */
export interface SharedHealthReads {
  readonly read: (share: string, webhooks: readonly WebhookVersion[]) => Promise<DeliveryHealth>;
  readonly readStates: <Version extends WebhookVersion>(
    share: string,
    pages: AsyncIterable<readonly Version[]>,
    use: (webhook: Version, state: DeliveryState) => void,
  ) => Promise<HealthModels>;
  readonly readModels: (share: string) => Promise<HealthModels>;
}

/**
 * A health reads ranges of several indexes, so its reads use the share of lists. Each single read takes its place
 * alone. The progress of the models is a read by id.
 */
export function shareHealth(
  { read, readStates, readModels }: DeliveryHealthReads,
  { lists, lookups }: Pick<PoolShares, 'lists' | 'lookups'>,
): SharedHealthReads {
  return {
    read: (share, webhooks) => read(webhooks, (one) => lists.run(share, one)),
    readStates: (share, pages, use) => readStates(pages, use, (one) => lists.run(share, one)),
    readModels: (share) => readModels((one) => lookups.run(share, one)),
  };
}
