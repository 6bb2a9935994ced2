import type { Db, Document, IndexDescription } from 'mongodb';

import { UnavailableError } from '../errors.js';
import type { TopicName } from '../topics/names.js';
import type { AccountDocument, EventDocument, ModelDocument, WebhookDocument } from './documents.js';
import { whileReachable } from './reachable.js';

export interface DocumentsByModel {
  readonly events: EventDocument;
  readonly webhooks: WebhookDocument;
  readonly accounts: AccountDocument;
}

export type ModelName = keyof DocumentsByModel;

export interface ModelDefinition {
  /** Raised when the shape of its documents changes: the model is then built again from the log. */
  readonly version: number;
  readonly topics: readonly TopicName[];
  readonly indexes: readonly IndexDescription[];
}

const newestFirst = { created: -1, _id: -1 } as const;

export const modelDefinitions: Readonly<Record<ModelName, ModelDefinition>> = {
  events: {
    version: 1,
    topics: ['events', 'deliveries'],
    indexes: [{ key: { accountId: 1, mode: 1, ...newestFirst } }],
  },
  webhooks: {
    version: 2,
    topics: ['webhooks'],
    indexes: [{ key: { accountId: 1, mode: 1, ...newestFirst } }],
  },
  accounts: {
    version: 1,
    topics: ['accounts'],
    indexes: [{ key: { 'apiKeys.hash': 1 } }],
  },
};

/** By topic and partition, the offset that is to be read next. */
export type ModelPositions = Readonly<Partial<Record<TopicName, Readonly<Record<string, number>>>>>;

/**
 * The document beside a model's documents that says how far they go. It stands in the same collection, so that
 * whatever empties or drops the documents takes their claim to be complete with it.
 */
export interface MetaDocument {
  readonly _id: typeof metaId;
  readonly version: number;
  /** Whether the model has passed the end offsets that were taken when it was begun: only then is absence an answer. */
  readonly complete: boolean;
  readonly positions: ModelPositions;
  /** The end offsets that make it complete. */
  readonly target: ModelPositions;
}

export const metaId = 'meta';

/** Which collection a model's readers and its projection use now. */
export interface AliasDocument {
  readonly _id: ModelName;
  readonly live: string;
}

export const aliasCollection = 'models';

export interface ModelAnswer<Model> {
  readonly documents: readonly Model[];
  /** How far the model was when it was asked. */
  readonly meta: MetaDocument;
}

export interface PageQuery {
  readonly filter: Document;
  readonly sort: Readonly<Record<string, 1 | -1>>;
  readonly limit: number;
}

/** Reads of one model. Each throws UnavailableError where the database is away, or the model is being begun. */
export interface ReadModel<Model extends ModelDocument> {
  /** Documents by their ids, and how far the model is, in one read. What is missing is for the caller to judge. */
  findByIds: (ids: readonly string[]) => Promise<ModelAnswer<Model>>;
  /** What a filter matches, and how far the model is, in one read. */
  findAll: (filter: Document) => Promise<ModelAnswer<Model>>;
  /** A page of a list, from a complete model. */
  findPage: (query: PageQuery) => Promise<readonly Model[]>;
  meta: () => Promise<MetaDocument>;
}

export type ReadModels = { readonly [Name in ModelName]: ReadModel<DocumentsByModel[Name]> };

const aliasCacheMs = 1000;
/** No list may hold up the others for longer than this, in milliseconds. */
const pageTimeoutMs = 2000;

/** Reads of the models that are live now. */
export function createReadModels(database: Db): ReadModels {
  return {
    events: createReadModel<EventDocument>(database, 'events'),
    webhooks: createReadModel<WebhookDocument>(database, 'webhooks'),
    accounts: createReadModel<AccountDocument>(database, 'accounts'),
  };
}

function createReadModel<Model extends ModelDocument>(database: Db, name: ModelName): ReadModel<Model> {
  const liveName = createLiveName(database, name);
  const collection = async () => database.collection<ModelDocument>(await liveName());

  const split = (found: readonly Document[]): ModelAnswer<Model> => {
    const meta = found.find(isMeta);
    if (meta === undefined) {
      throw notThere(name);
    }
    return { documents: found.filter((document): document is Model => !isMeta(document)), meta };
  };

  const findAll = async (filter: Document) => {
    const documents = await collection();
    return split(await whileReachable(documents.find({ $or: [{ _id: metaId }, filter] }).toArray()));
  };

  const meta = async () => (await findAll({ _id: metaId })).meta;

  return {
    findByIds: (ids) => findAll({ _id: { $in: ids } }),
    findAll,
    findPage: async ({ filter, sort, limit }) => {
      const documents = await collection();
      const options = { sort: { ...sort }, limit, maxTimeMS: pageTimeoutMs };
      const page = await whileReachable(documents.find(filter, options).toArray());
      // Read after the page: only a model that is complete then vouches for what is not on it.
      if (!(await meta()).complete) {
        throw notThere(name);
      }
      return page.filter((document: Document): document is Model => !isMeta(document));
    },
    meta,
  };
}

function isMeta(document: Document): document is MetaDocument {
  return document['_id'] === metaId;
}

function notThere(name: ModelName): UnavailableError {
  return new UnavailableError(`the read model "${name}" is being built from the log`, {
    retryAfterSeconds: 2,
  });
}

/** The name of the live collection, at most a second old. */
function createLiveName(database: Db, name: ModelName): () => Promise<string> {
  const aliases = database.collection<AliasDocument>(aliasCollection);
  let known: { live: string; until: number } | null = null;
  return async () => {
    if (known !== null && known.until > Date.now()) {
      return known.live;
    }
    const alias = await whileReachable(aliases.findOne({ _id: name }));
    if (alias === null) {
      throw notThere(name);
    }
    known = { live: alias.live, until: Date.now() + aliasCacheMs };
    return alias.live;
  };
}
