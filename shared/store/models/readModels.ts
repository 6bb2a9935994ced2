import { MongoServerError, type Collection, type Db, type Document } from 'mongodb';

import { mapUnavailableErrors } from '../client/unavailableErrors.js';
import { createAliasCache, type AliasCache } from './aliasCache.js';

import {
  isDerived,
  type AccountDocument,
  type AccountKeyDocument,
  type AttemptDocument,
  type AuditDocument,
  type DerivedDocument,
  type EventDocument,
  type EventTypeDocument,
  type ModelDocument,
  type ReplayDocument,
  type TenantApiKeyDocument,
  type TenantDocument,
  type WebhookDocument,
} from './documents.js';
import { isFence } from './fences.js';
import {
  createGenerationCache,
  modelUnavailable,
  type GenerationCacheDependencies,
} from './generationCache.js';
import { metaId, type MetaDocument } from './generations.js';
import { modelDefinitions, type DocumentsByModel, type ModelName } from './modelDefinitions.js';
import {
  distinctKeys,
  documentsPerBatch,
  excludedFields,
  readListPage,
  type CountedPage,
  type CountedPageQuery,
  type CountQuery,
  type DerivedQuery,
  type DistinctQuery,
  type ValuesQuery,
  type ListPage,
  type ListPageQuery,
  type PackedPageQuery,
  type PageQuery,
  type ReadOptions,
} from './readQueries.js';
import type { StatsDocument } from './statsDocuments.js';

export interface ModelAnswer<Model> {
  readonly documents: readonly Model[];
  /** The meta document of the read model just before the read. The documents contain all records up to its positions. */
  readonly meta: MetaDocument;
}

/** Reads of one read model. A read throws `UnavailableError` if MongoDB or the read model is unavailable. */
export interface ReadModel<Model extends ModelDocument> {
  /**
   * Reads documents of one account by their ids, with the meta document. The documents of other accounts are missing. The
   * caller decides what a missing document means. The share of the read is the account, unless the options name another.
   */
  findByIds: (
    accountId: string,
    ids: readonly string[],
    options?: ReadOptions<Model>,
  ) => Promise<ModelAnswer<Model>>;
  /** Like `findByIds`, but for the work of the service itself, which concerns many accounts: the ids come from the log. */
  findInAllAccounts: (ids: readonly string[], options?: ReadOptions<Model>) => Promise<ModelAnswer<Model>>;
  /** Reads the documents that match a filter, with the meta document. */
  findAll: (filter: Document, options?: ReadOptions<Model>) => Promise<ModelAnswer<Model>>;
  /** Reads the distinct values of a field from an index, in a complete read model. */
  findDistinct: (query: DistinctQuery) => Promise<readonly string[]>;
  /** Distinct values of a text field that is no array, from an index alone: one seek for each value. */
  findValues: (query: ValuesQuery) => Promise<readonly string[]>;
  /** Reads a page of a list, in a complete read model. */
  findPage: (query: PageQuery) => Promise<readonly Model[]>;
  /**
   * Reads some fields of a page of a list, in a complete read model. MongoDB returns the page as one document, which
   * costs this process a fraction of the CPU time of a thousand documents.
   */
  findPacked: (query: PackedPageQuery) => Promise<readonly Model[]>;
  /** Reads a page of a list with a limited size in bytes, in a complete read model. Batches limit the memory. */
  findListPage: (query: ListPageQuery) => Promise<ListPage<Model>>;
  /** Reads entries or counters from an index, in a complete read model. Only the model `events` has such documents. */
  findDerived: (query: DerivedQuery) => Promise<readonly DerivedDocument[]>;
  /** Counts the documents that match a filter, in a complete read model. */
  count: (query: CountQuery) => Promise<number>;
  /** Counts the matching documents among the first documents of a range, in a complete read model. */
  countPage: (query: CountedPageQuery) => Promise<CountedPage>;
  meta: () => Promise<MetaDocument>;
  /** Returns the meta document, at most two seconds old, for callers that poll. */
  recentMeta: () => Promise<MetaDocument>;
  /** Returns the meta documents of the generations that a wait must include: both during a switchover. */
  awaited: () => Promise<readonly MetaDocument[]>;
}

export type ReadModels = { readonly [Name in ModelName]: ReadModel<DocumentsByModel[Name]> } & {
  /** The API keys in the model `tenants`. Ids and indexes select either tenants or API keys. */
  readonly tenantApiKeys: ReadModel<TenantApiKeyDocument>;
};

/** The time limit for a page of a list, in milliseconds, so that a slow list does not delay other reads. */
const pageTimeoutMs = 2000;

const nothingCounted: CountedPage = { read: 0, counted: 0, first: null, last: null };

/** Creates the reads of the live generations. */
export function createReadModels(
  database: Db,
  aliasCache: AliasCache = createAliasCache(database),
): ReadModels {
  const known = { database, aliasCache };
  return {
    events: createReadModel<EventDocument>(known, 'events'),
    webhooks: createReadModel<WebhookDocument>(known, 'webhooks'),
    accounts: createReadModel<AccountDocument>(known, 'accounts'),
    accountKeys: createReadModel<AccountKeyDocument>(known, 'accountKeys'),
    attempts: createReadModel<AttemptDocument>(known, 'attempts'),
    audit: createReadModel<AuditDocument>(known, 'audit'),
    stats: createReadModel<StatsDocument>(known, 'stats'),
    replays: createReadModel<ReplayDocument>(known, 'replays'),
    eventTypes: createReadModel<EventTypeDocument>(known, 'eventTypes'),
    tenants: createReadModel<TenantDocument>(known, 'tenants'),
    tenantApiKeys: createReadModel<TenantApiKeyDocument>(known, 'tenants'),
  };
}

function createReadModel<Model extends ModelDocument>(
  known: GenerationCacheDependencies,
  name: ModelName,
): ReadModel<Model> {
  const { database, aliasCache } = known;
  const { version, accountField } = modelDefinitions[name];
  const generations = createGenerationCache(known, name, version);
  const collection = async () => database.collection<ModelDocument>(await generations.read());

  const isShown = (document: Document): document is Model =>
    !isMeta(document) && !isFence(document) && !isDerived(document);
  const metaOf = async (documents: Collection<ModelDocument>): Promise<MetaDocument> => {
    const meta: Document | null = await mapUnavailableErrors(documents.findOne({ _id: metaId }));
    if (meta === null || !isMeta(meta)) {
      throw modelUnavailable(name);
    }
    return meta;
  };

  /**
   * Reads the meta document before the documents. MongoDB reads the documents of one query at several moments, and may read
   * the meta document last: its positions would contain records that the documents do not. The query contains it too,
   * because only then it is certain that the read model was not emptied meanwhile.
   */
  const findIn = async (
    documents: Collection<ModelDocument>,
    filter: Document,
    without: readonly string[] = [],
  ): Promise<ModelAnswer<Model>> => {
    const meta = await metaOf(documents);
    const query = documents.find({ $or: [{ _id: metaId }, filter] }, { projection: excludedFields(without) });
    const found: readonly Document[] = await mapUnavailableErrors(query.toArray());
    if (!found.some(isMeta)) {
      throw modelUnavailable(name);
    }
    return { documents: found.filter(isShown), meta };
  };

  /**
   * Reads the meta document and documents by their ids with one query. MongoDB reads them in the order of the ids, so the
   * query sorts the meta document first, for the reason above. It cannot, if ids are on both sides of its id.
   */
  const findInById = async (
    documents: Collection<ModelDocument>,
    ids: readonly string[],
    without: readonly string[] = [],
  ): Promise<ModelAnswer<Model>> => {
    const areAfterMeta = new Set(ids.map((id) => id > metaId));
    if (areAfterMeta.size > 1) {
      return findIn(documents, { _id: { $in: ids } }, without);
    }
    const [meta, ...found]: readonly Document[] = await mapUnavailableErrors(
      documents
        .find({ _id: { $in: [metaId, ...ids] } }, { projection: excludedFields(without) })
        .sort({ _id: areAfterMeta.has(true) ? 1 : -1 })
        .toArray(),
    );
    if (meta === undefined || !isMeta(meta)) {
      throw modelUnavailable(name);
    }
    return { documents: found.filter(isShown), meta };
  };

  /** The result of a read, if the generation is complete. An incomplete generation lacks documents. */
  const ifComplete = async <Found>(documents: Collection<ModelDocument>, read: Promise<Found>) => {
    const found = await mapUnavailableErrors(read).catch((error: unknown) => {
      throw isMissingIndex(error) ? modelUnavailable(name) : error;
    });
    const meta = await metaOf(documents);
    if (!meta.complete) {
      throw modelUnavailable(name);
    }
    return found;
  };

  const findAll = async (filter: Document, { without = [] }: ReadOptions<Model> = {}) =>
    findIn(await collection(), filter, without);
  const findInAllAccounts: ReadModel<Model>['findInAllAccounts'] = async (ids, { without = [] } = {}) =>
    findInById(await collection(), ids, without);
  /** The account of a document. The document of an event has none before the fold has read the event's own record. */
  const accountOf = (document: Document) => String(document[accountField]).split('/', 1)[0];

  return {
    findByIds: async (accountId, ids, options) => {
      const { documents, meta } = await findInAllAccounts(ids, options);
      return { documents: documents.filter((document) => accountOf(document) === accountId), meta };
    },
    findInAllAccounts,
    findAll,
    findDistinct: async (query) => {
      const documents = await collection();
      return ifComplete(documents, distinctKeys(database, documents.collectionName, query, pageTimeoutMs));
    },
    findValues: async ({ field, filter, index }) => {
      const documents = await collection();
      const values = documents.aggregate<{ readonly _id: unknown }>(
        [{ $match: filter }, { $group: { _id: `$${field}` } }],
        { hint: { ...index }, maxTimeMS: pageTimeoutMs },
      );
      const found = await ifComplete(documents, values.toArray());
      return found.map(({ _id: value }) => value).filter((value) => typeof value === 'string');
    },
    findPage: async ({ ranges, limit, index, without = [], projection = excludedFields(without) }) => {
      const documents = await collection();
      const options = { limit, hint: { ...index }, maxTimeMS: pageTimeoutMs, projection };
      const reads = ranges.map(({ filter, sort }) =>
        documents.find(filter, { ...options, sort: { ...sort } }).toArray(),
      );
      const pages = await ifComplete(documents, Promise.all(reads));
      return pages.flat().filter(isShown).slice(0, limit);
    },
    findPacked: async ({ ranges, limit, index, projection }) => {
      const documents = await collection();
      const reads = ranges.map(({ filter, sort }) =>
        documents
          .aggregate<{ readonly page: readonly Document[] }>(
            [
              { $match: filter },
              { $sort: { ...sort } },
              { $limit: limit },
              { $project: projection },
              { $group: { _id: null, page: { $push: '$$ROOT' } } },
            ],
            { hint: { ...index }, maxTimeMS: pageTimeoutMs },
          )
          .toArray(),
      );
      const pages = await ifComplete(documents, Promise.all(reads));
      return pages.flatMap(([packed]) => (packed?.page ?? []).filter(isShown)).slice(0, limit);
    },
    findListPage: async ({
      ranges,
      limit,
      index,
      without = [],
      projection = excludedFields(without),
      maximumBytes,
      batchSize = documentsPerBatch,
    }) => {
      const documents = await collection();
      const options = {
        hint: { ...index },
        maxTimeMS: pageTimeoutMs,
        projection,
        batchSize,
      };
      const cursors = ranges.map(
        ({ filter, sort }) =>
          () =>
            documents.find(filter, { ...options, sort: { ...sort }, limit: limit + 1 }),
      );
      return ifComplete(documents, readListPage(cursors, isShown, { limit, maximumBytes }));
    },
    findDerived: async ({ filter, sort, limit, index }) => {
      const documents = await collection();
      const options = { limit, sort: { ...sort }, hint: { ...index }, maxTimeMS: pageTimeoutMs };
      const found: readonly Document[] = await ifComplete(
        documents,
        documents.find(filter, options).toArray(),
      );
      return found.filter(isDerived);
    },
    count: async ({ filter, index }) => {
      const documents = await collection();
      const options = { hint: { ...index }, maxTimeMS: pageTimeoutMs };
      return ifComplete(documents, documents.countDocuments(filter, options));
    },
    countPage: async ({ range: { filter, sort }, limit, index, condition }) => {
      const documents = await collection();
      const counted = documents.aggregate<CountedPage>(
        [
          { $match: filter },
          { $sort: { ...sort } },
          { $limit: limit },
          {
            $group: {
              _id: null,
              read: { $sum: 1 },
              counted: { $sum: { $cond: [condition, 1, 0] } },
              first: { $first: { _id: '$_id', created: '$created' } },
              last: { $last: { _id: '$_id', created: '$created' } },
            },
          },
        ],
        { hint: { ...index }, maxTimeMS: pageTimeoutMs },
      );
      const [page = nothingCounted] = await ifComplete(documents, counted.toArray());
      return page;
    },
    meta: async () => metaOf(await collection()),
    recentMeta: async () => {
      const meta = await aliasCache.metaOf(await generations.read());
      if (meta === null) {
        throw modelUnavailable(name);
      }
      return meta;
    },
    awaited: generations.awaited,
  };
}

/** Whether the generation lacks an index. The projections build an index when they open the read model. */
export function isMissingIndex(error: unknown): boolean {
  return error instanceof MongoServerError && error.message.includes('hint provided does not correspond');
}

function isMeta(document: Document): document is MetaDocument {
  return document['_id'] === metaId;
}
