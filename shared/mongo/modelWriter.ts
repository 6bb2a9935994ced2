import { randomBytes } from 'node:crypto';

import { MongoServerError, type Collection, type Db, type Document } from 'mongodb';

import type { TopicPartitionOffset } from '../kafka/topicPartition.js';
import type { TopicOffsets } from '../kafka/topicOffsets.js';
import { duplicateKey, insertOf, isDuplicateAlone, writeOf, type DocumentChange } from './documentWrites.js';
import type { ModelDocument } from './documents.js';
import {
  aliasCollection,
  metaId,
  modelDefinitions,
  type AliasDocument,
  type MetaDocument,
  type ModelDefinition,
  type ModelName,
  type ModelPositions,
} from './readModels.js';

/** What the writing of a model may leave out. */
export interface ModelStorage<Model extends ModelDocument> {
  /** Fields that no fold looks at and that are too large to load for each batch. */
  readonly unreadFields: readonly (keyof Model & string)[];
  /** Fields whose entries are written one by one: where one of many changes, the others are not sent again. */
  readonly fieldsOfEntries?: readonly (keyof Model & string)[];
  /**
   * Whether a document is as its first record makes it, for ever. Then none is loaded, one that is there stays, and
   * `positions` is left empty: it would depend on where batches ended.
   */
  readonly insertsOnly?: boolean;
}

/** Where reading goes on in each of these partitions. */
export type NextOffsets = readonly TopicPartitionOffset[];

/** One collection that a model is folded into. It is emptied or dropped only as a whole. */
export interface ModelGeneration<Model extends ModelDocument> {
  /** Of the collection: no other generation ever has it. */
  readonly name: string;
  /** Where reading goes on, by topic and partition. Null once the collection was emptied under us. */
  positions: () => Promise<ModelPositions | null>;
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Model>>;
  /**
   * Writes each document on condition that its positions are still those that were loaded.
   * @returns `conflict` where another process was faster with at least one: load and fold again
   */
  write: (changes: readonly DocumentChange<Model>[]) => Promise<'written' | 'conflict'>;
  /**
   * Records that all before these offsets is folded, after the documents were written.
   * @returns `emptied` where the collection was emptied under us: all must be read again, into a new generation
   */
  advance: (next: NextOffsets) => Promise<'advanced' | 'emptied'>;
}

export interface ModelWriter<Model extends ModelDocument> {
  /** The live generation; a new one, with nothing in it, where there is none or where it was emptied. */
  open: () => Promise<ModelGeneration<Model>>;
}

export function createModelWriter<Model extends ModelDocument>(
  dependencies: { database: Db; offsets: TopicOffsets },
  name: ModelName,
  storage: ModelStorage<Model> = { unreadFields: [] },
): ModelWriter<Model> {
  const { database, offsets } = dependencies;
  const aliases = database.collection<AliasDocument>(aliasCollection);
  const definition = modelDefinitions[name];

  const begin = async (previous: string | null): Promise<void> => {
    const live = `${name}.v${definition.version}.${randomBytes(4).toString('hex')}`;
    const target = await endPositions(offsets, definition.topics);
    await makeIndexes(database.collection(live), definition);
    const collection = database.collection<ModelDocument | MetaDocument>(live);
    const complete = isReached({}, target);
    await collection.insertOne({ _id: metaId, version: definition.version, complete, positions: {}, target });
    if (await pointAlias(previous, live)) {
      await (previous === null ? undefined : database.collection(previous).drop());
    } else {
      await collection.drop();
    }
  };

  /** Whether the alias was still what we had seen. Of several processes that begin a model at once, one wins. */
  const pointAlias = async (previous: string | null, live: string): Promise<boolean> => {
    try {
      const filter =
        previous === null ? { _id: name, live: { $exists: false } } : { _id: name, live: previous };
      const result = await aliases.updateOne(filter, { $set: { live } }, { upsert: previous === null });
      return result.matchedCount + result.upsertedCount > 0;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === duplicateKey) {
        return false;
      }
      throw error;
    }
  };

  return {
    open: async () => {
      for (;;) {
        const alias = await aliases.findOne({ _id: name });
        if (alias !== null) {
          const generation = createGeneration<Model>(database, alias.live, storage);
          if ((await generation.positions()) !== null) {
            // Those that it has are left as they are; a later version may have more.
            await makeIndexes(database.collection(alias.live), definition);
            return generation;
          }
        }
        await begin(alias?.live ?? null);
      }
    },
  };
}

function createGeneration<Model extends ModelDocument>(
  database: Db,
  live: string,
  { unreadFields, fieldsOfEntries = [], insertsOnly = false }: ModelStorage<Model>,
): ModelGeneration<Model> {
  const documents = database.collection<ModelDocument>(live);
  const metas = database.collection<MetaDocument>(live);
  const toWrite = (change: DocumentChange<ModelDocument>) =>
    insertsOnly ? insertOf({ ...change.after, positions: {} }) : writeOf(change, fieldsOfEntries);
  const projection = Object.fromEntries(unreadFields.map((field) => [field, 0]));

  return {
    name: live,
    positions: async () => (await metas.findOne({ _id: metaId }))?.positions ?? null,
    load: async (ids) => {
      if (insertsOnly) {
        return new Map();
      }
      const found: Document[] = await documents.find({ _id: { $in: ids } }, { projection }).toArray();
      const isModel = (document: Document): document is Model => document['_id'] !== metaId;
      return new Map(found.filter(isModel).map((document) => [document._id, document]));
    },
    write: async (changes) => {
      if (changes.length === 0) {
        return 'written';
      }
      try {
        const updates = changes.filter(({ before }) => before !== null).length;
        const result = await documents.bulkWrite(changes.map(toWrite), { ordered: false });
        return result.matchedCount === updates ? 'written' : 'conflict';
      } catch (error) {
        if (isDuplicateAlone(error)) {
          return insertsOnly ? 'written' : 'conflict';
        }
        throw error;
      }
    },
    advance: async (next) => {
      const positions = next.map(
        ({ topic, partition, offset }) => [`positions.${topic}.${partition}`, offset] as const,
      );
      const meta = await metas.findOneAndUpdate(
        { _id: metaId },
        { $max: Object.fromEntries(positions) },
        { returnDocument: 'after' },
      );
      if (meta === null) {
        return 'emptied';
      }
      if (!meta.complete && isReached(meta.positions, meta.target)) {
        await metas.updateOne({ _id: metaId }, { $set: { complete: true } });
      }
      return 'advanced';
    },
  };
}

async function makeIndexes(collection: Collection, { indexes }: ModelDefinition): Promise<void> {
  if (indexes.length > 0) {
    await collection.createIndexes([...indexes]);
  }
}

async function endPositions(
  offsets: TopicOffsets,
  topics: readonly (keyof ModelPositions)[],
): Promise<ModelPositions> {
  const entries = await Promise.all(
    topics.map(async (topic) => [topic, Object.fromEntries((await offsets.ends(topic)).entries())] as const),
  );
  return Object.fromEntries(entries);
}

function isReached(positions: ModelPositions, target: ModelPositions): boolean {
  const topics = new Map(Object.entries(positions));
  return Object.entries(target).every(([topic, ends]) =>
    Object.entries(ends).every(([partition, end]) => (topics.get(topic)?.[partition] ?? 0) >= end),
  );
}
