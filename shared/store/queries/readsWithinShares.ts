import type { PoolShares } from '../client/poolShares.js';
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

/** The owner of reads that the process makes for itself. */
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
  };
}

function shareModel<Model extends ModelDocument>(
  model: ReadModel<Model>,
  { lists, lookups, admitPage }: ReadShares,
): ReadModel<Model> {
  return {
    ...model,
    findByIds: (ids, options = {}) =>
      lookups.run(options.owner ?? noAccount, () => model.findByIds(ids, options)),
    findAll: (filter, options = {}) =>
      lookups.run(options.owner ?? noAccount, () => model.findAll(filter, options)),
    findDistinct: (query) => lists.run(noAccount, () => model.findDistinct(query)),
    findValues: (query) => lists.run(query.owner ?? noAccount, () => model.findValues(query)),
    findPage: (query) => lists.run(query.owner ?? noAccount, () => model.findPage(query)),
    findListPage: (query) => {
      const owner = query.owner ?? noAccount;
      return lists.run(owner, () => {
        admitPage(owner, query.maximumBytes);
        return model.findListPage(query);
      });
    },
    count: (query) => lists.run(query.owner ?? noAccount, () => model.count(query)),
    countPage: (query) => lists.run(query.owner ?? noAccount, () => model.countPage(query)),
  };
}
