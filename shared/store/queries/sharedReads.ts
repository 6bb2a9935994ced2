import type { PoolShares } from '../client/poolShares.js';
import type { ModelDocument } from '../models/documents.js';
import type { ReadModel, ReadModels } from '../models/readModels.js';

type ReadShares = Pick<PoolShares, 'lists' | 'lookups'>;

/** The owner of the process's own reads. */
const noAccount = '';

/** The same reads, each within its share of the database's connections. */
export function shareReads(models: ReadModels, shares: ReadShares): ReadModels {
  return {
    events: shareModel(models.events, shares),
    webhooks: shareModel(models.webhooks, shares),
    accounts: shareModel(models.accounts, shares),
    accountKeys: shareModel(models.accountKeys, shares),
    attempts: shareModel(models.attempts, shares),
    audit: shareModel(models.audit, shares),
    // A series of statistics is a long range of documents.
    stats: shareModel(models.stats, { ...shares, lookups: shares.lists }),
    replays: shareModel(models.replays, shares),
  };
}

function shareModel<Model extends ModelDocument>(
  model: ReadModel<Model>,
  { lists, lookups }: ReadShares,
): ReadModel<Model> {
  return {
    ...model,
    findByIds: (ids, options = {}) =>
      lookups.run(options.owner ?? noAccount, () => model.findByIds(ids, options)),
    findAll: (filter, options = {}) =>
      lookups.run(options.owner ?? noAccount, () => model.findAll(filter, options)),
    findDistinct: (query) => lists.run(noAccount, () => model.findDistinct(query)),
    findPage: (query) => lists.run(query.owner ?? noAccount, () => model.findPage(query)),
    findListPage: (query) => lists.run(query.owner ?? noAccount, () => model.findListPage(query)),
    count: (query) => lists.run(query.owner ?? noAccount, () => model.count(query)),
    countPage: (query) => lists.run(query.owner ?? noAccount, () => model.countPage(query)),
  };
}
