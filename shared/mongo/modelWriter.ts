import { randomBytes } from 'node:crypto';

import {
  MongoBulkWriteError,
  MongoServerError,
  type AnyBulkWriteOperation,
  type Db,
  type Document,
} from 'mongodb';

import type { TopicPartition } from '../kafka/groupConsumer.js';
import type { TopicOffsets } from '../kafka/topicOffsets.js';
import type { ModelDocument } from './documents.js';
import {
  aliasCollection,
  metaId,
  modelDefinitions,
  type AliasDocument,
  type MetaDocument,
  type ModelName,
  type ModelPositions,
} from './readModels.js';

/** A document before and after a batch. `before` is null where there was none. */
export interface DocumentChange<Model extends ModelDocument> {
  readonly before: Model | null;
  readonly after: Model;
}

/** One collection that a model is folded into. It is emptied or dropped only as a whole. */
export interface ModelGeneration<Model extends ModelDocument> {
  /** Where reading goes on, by topic and partition. Null once the collection was emptied under us. */
  positions: () => Promise<ModelPositions | null>;
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Model>>;
  /**
   * Writes each document on condition that its positions are still those that were loaded.
   * @returns `conflict` where another process was faster with at least one: load and fold again
   */
  write: (changes: readonly DocumentChange<Model>[]) => Promise<'written' | 'conflict'>;
  /**
   * Records that all before `nextOffset` is folded, after the documents were written.
   * @returns `emptied` where the collection was emptied under us: all must be read again, into a new generation
   */
  advance: (partition: TopicPartition, nextOffset: number) => Promise<'advanced' | 'emptied'>;
}

export interface ModelWriter<Model extends ModelDocument> {
  /** The live generation; a new one, with nothing in it, where there is none or where it was emptied. */
  open: () => Promise<ModelGeneration<Model>>;
}

const duplicateKey = 11_000;

/** @param withoutFields fields that no fold looks at and that are too large to load for each batch */
export function createModelWriter<Model extends ModelDocument>(
  dependencies: { database: Db; offsets: TopicOffsets },
  name: ModelName,
  withoutFields: readonly (keyof Model & string)[] = [],
): ModelWriter<Model> {
  const { database, offsets } = dependencies;
  const aliases = database.collection<AliasDocument>(aliasCollection);
  const definition = modelDefinitions[name];

  const begin = async (previous: string | null): Promise<void> => {
    const live = `${name}.v${definition.version}.${randomBytes(4).toString('hex')}`;
    const target = await endPositions(offsets, definition.topics);
    const collection = database.collection<ModelDocument | MetaDocument>(live);
    await collection.createIndexes([...definition.indexes]);
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
          const generation = createGeneration<Model>(database, alias.live, withoutFields);
          if ((await generation.positions()) !== null) {
            // Those that it has are left as they are; a later version may have more.
            await database.collection(alias.live).createIndexes([...definition.indexes]);
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
  withoutFields: readonly string[],
): ModelGeneration<Model> {
  const documents = database.collection<ModelDocument>(live);
  const metas = database.collection<MetaDocument>(live);
  const projection = Object.fromEntries(withoutFields.map((field) => [field, 0]));

  return {
    positions: async () => (await metas.findOne({ _id: metaId }))?.positions ?? null,
    load: async (ids) => {
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
        const result = await documents.bulkWrite(changes.map(writeOf), { ordered: false });
        return result.matchedCount === updates ? 'written' : 'conflict';
      } catch (error) {
        if (error instanceof MongoBulkWriteError && error.code === duplicateKey) {
          return 'conflict';
        }
        throw error;
      }
    },
    advance: async ({ topic, partition }, nextOffset) => {
      const meta = await metas.findOneAndUpdate(
        { _id: metaId },
        { $max: { [`positions.${topic}.${partition}`]: nextOffset } },
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

/**
 * Only what changed is written: an event's data is not sent again for each of its deliveries. What is gone is removed, so
 * that a document does not depend on where batches ended.
 */
function writeOf({ before, after }: DocumentChange<ModelDocument>): AnyBulkWriteOperation<ModelDocument> {
  if (before === null) {
    return { insertOne: { document: after } };
  }
  const old = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after).filter(([field, value]) => old.get(field) !== value);
  const gone = Object.keys(before).filter((field) => !Object.hasOwn(after, field));
  return {
    updateOne: {
      filter: { _id: before._id, positions: before.positions },
      update: {
        $set: Object.fromEntries(changed),
        ...(gone.length > 0 && { $unset: Object.fromEntries(gone.map((field) => [field, ''])) }),
      },
    },
  };
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
