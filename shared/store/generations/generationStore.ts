import { MongoServerError, type Db } from 'mongodb';

import { UnavailableError } from '../../core/errors.js';
import type { GroupOffsets } from '../../log/client/groupOffsets.js';
import type { TopicOffsets } from '../../log/client/topicOffsets.js';
import { duplicateKey } from '../models/documentWrites.js';
import { derivedDocuments } from '../models/documents.js';
import {
  aliasCollection,
  foldedGenerations,
  groupOf,
  isReached,
  metaId,
  newGenerationName,
  type AliasDocument,
  type BuildingGeneration,
  type BuildingPurpose,
  type MetaDocument,
} from '../models/generations.js';
import { modelDefinitions, type ModelName } from '../models/modelDefinitions.js';
import type { Aliases } from './aliases.js';
import { endOffsetsOf } from './endOffsets.js';

/** Starts and drops generations of read models. */
export interface GenerationStore {
  /**
   * Returns the alias of a read model. If no generation is live, or the live generation was emptied, `ensureLive` first
   * creates a generation.
   */
  ensureLive: (model: ModelName) => Promise<AliasDocument>;
  /**
   * Starts a generation next to the live generation.
   * @returns the name of the generation; null if another generation is being built, or no generation is live
   * @throws UnavailableError if the source generation does not exist
   */
  startBuilding: (
    model: ModelName,
    purpose: BuildingPurpose,
    options?: BuildingOptions,
  ) => Promise<string | null>;
  /**
   * Builds the missing indexes of a generation, because a later version of the program may need more indexes. An index
   * of a large collection takes minutes or hours.
   */
  ensureIndexes: (model: ModelName, generation: string) => Promise<void>;
  /** Reads the meta document of a generation; null if the generation does not exist, or was emptied. */
  metaOf: (generation: string) => Promise<MetaDocument | null>;
  /** Estimates the number of documents of a generation from MongoDB's statistics, without entries and counters. */
  countOf: (generation: string) => Promise<number>;
  /** Counts the documents of a generation exactly, without entries and counters. The count takes some seconds for ten million documents. */
  exactCountOf: (generation: string) => Promise<number>;
  /**
   * Drops the generations of a read model that its alias does not list. A very young generation is dropped only if it
   * is named, because its alias may be about to list it.
   * @returns whether no unlisted generation remains
   */
  dropUnlisted: (model: ModelName, named: readonly string[]) => Promise<boolean>;
}

/** The options of a new generation. */
export type BuildingOptions = Pick<BuildingGeneration, 'source' | 'lossAccepted'>;

/**
 * The options of an index build, with a timeout in milliseconds. The driver (mongodb 7.8) reads `socketTimeoutMS` from
 * the options of an operation, but its types lack this option. The driver's `timeoutMS` has no effect. TCP keepalive
 * detects a lost server.
 */
const buildLimits = { comment: 'indexes of a read model', socketTimeoutMS: 24 * 60 * 60 * 1000 } as const;
const dropLimits = { comment: 'end of a read model', socketTimeoutMS: 60_000 } as const;
const countLimits = { comment: 'count of a read model', socketTimeoutMS: 10 * 60_000 } as const;
/**
 * The age below which a generation counts as young, in milliseconds. A new generation is listed in its alias within
 * this time.
 */
const youngMs = 60_000;

type Beginning = Required<Pick<MetaDocument, 'positions' | 'skipped'>>;

const logBeginning: Beginning = { positions: {}, skipped: {} };

export function createGenerationStore(dependencies: {
  readonly database: Db;
  readonly offsets: TopicOffsets;
}): GenerationStore {
  const { database, offsets } = dependencies;
  const aliases = database.collection<AliasDocument>(aliasCollection);

  const metaOf = (generation: string) =>
    database.collection<MetaDocument>(generation).findOne({ _id: metaId });

  const ensureIndexes = async (model: ModelName, generation: string): Promise<void> => {
    const { indexes } = modelDefinitions[model];
    if (indexes.length > 0) {
      await database.collection(generation).createIndexes([...indexes], { ...buildLimits });
    }
  };

  const drop = (generation: string) => database.collection(generation).drop({ ...dropLimits });

  const isYoung = async (generation: string): Promise<boolean> => {
    const begunSince = { $gt: ['$begunAt', { $subtract: ['$$NOW', youngMs] }] };
    const meta = database.collection<MetaDocument>(generation);
    return (await meta.findOne({ _id: metaId, $expr: begunSince })) !== null;
  };

  const dropUnlessYoung = async (generation: string, named: readonly string[]): Promise<boolean> => {
    if (!named.includes(generation) && (await isYoung(generation))) {
      return false;
    }
    await drop(generation);
    return true;
  };

  /**
   * The first positions of a generation whose documents are converted from a source. The positions are read before the
   * first document of the source.
   */
  const beginningOf = async (source: string): Promise<Beginning> => {
    const meta = await metaOf(source);
    if (meta === null) {
      throw new UnavailableError(`the generation ${source} of the read model was removed`);
    }
    return { positions: meta.positions, skipped: meta.skipped ?? {} };
  };

  /** Creates a generation that no alias lists yet. */
  const begin = async (model: ModelName, source?: string) => {
    const { version } = modelDefinitions[model];
    const name = newGenerationName(model, version);
    const target = await endOffsetsOf(offsets, model);
    const { positions, skipped } = source === undefined ? logBeginning : await beginningOf(source);
    const complete = source === undefined && isReached({}, target);
    const meta = { version, complete, positions, skipped, target };
    // The meta document is written first, because without it no process knows the age of the collection.
    await database
      .collection<MetaDocument>(name)
      .updateOne({ _id: metaId }, { $set: meta, $currentDate: { begunAt: true } }, { upsert: true });
    await ensureIndexes(model, name);
    return { name, target };
  };

  /**
   * Sets the live generation if the alias is unchanged. If several processes create a generation at the same time, one
   * succeeds.
   */
  const pointAlias = async (model: ModelName, previous: string | null, live: string): Promise<boolean> => {
    try {
      const filter =
        previous === null ? { _id: model, live: { $exists: false } } : { _id: model, live: previous };
      const result = await aliases.updateOne(filter, { $set: { live } }, { upsert: previous === null });
      return result.matchedCount + result.upsertedCount > 0;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === duplicateKey) {
        return false;
      }
      throw error;
    }
  };

  const beginLive = async (model: ModelName, previous: string | null): Promise<void> => {
    const { name } = await begin(model);
    const loser = (await pointAlias(model, previous, name)) ? previous : name;
    await (loser === null ? undefined : drop(loser));
  };

  const ensureLive = async (model: ModelName): Promise<AliasDocument> => {
    for (;;) {
      const alias = await aliases.findOne({ _id: model });
      if (alias !== null && (await metaOf(alias.live)) !== null) {
        return alias;
      }
      await beginLive(model, alias?.live ?? null);
    }
  };

  return {
    metaOf,
    ensureIndexes,
    countOf: async (generation) => {
      const documents = database.collection<{ readonly _id: string }>(generation);
      const [all, derived] = await Promise.all([
        documents.estimatedDocumentCount(),
        documents.countDocuments(derivedDocuments, { ...countLimits }),
      ]);
      // The meta document is subtracted, because it is not a document of the read model.
      return Math.max(0, all - derived - 1);
    },
    exactCountOf: (generation) =>
      database
        .collection<{ readonly _id: string }>(generation)
        .countDocuments({ _id: { $ne: metaId }, $nor: derivedDocuments.$or }, { ...countLimits }),
    ensureLive,
    startBuilding: async (model, purpose, { source, lossAccepted } = {}) => {
      const { name, target } = await begin(model, source);
      const state = source === undefined ? 'building' : 'converting';
      const started = {
        'building.name': name,
        'building.purpose': purpose,
        'building.state': state,
        ...(source !== undefined && { 'building.source': source }),
        ...(lossAccepted === true && { 'building.lossAccepted': true }),
      };
      const { matchedCount } = await aliases.updateOne(
        { _id: model, building: { $exists: false } },
        purpose === 'check'
          ? // `until` is set from the start, because a process without this limit would fold to the end of the log.
            { $set: { ...started, 'building.until': target }, $currentDate: { 'building.seenAt': true } }
          : { $set: started, $unset: { rejected: true } },
      );
      if (matchedCount > 0) {
        return name;
      }
      await drop(name);
      return null;
    },
    dropUnlisted: async (model, named) => {
      const found = await database
        .listCollections({ name: { $regex: `^${model}\\.v\\d+\\.` } }, { nameOnly: true })
        .toArray();
      // The alias is read after the list of collections, so that a generation that was listed meanwhile is not dropped.
      const alias = await aliases.findOne({ _id: model });
      const listed = [alias?.live, alias?.building?.name, alias?.previous?.name];
      const unlisted = found.map(({ name }) => name).filter((name) => !listed.includes(name));
      const dropped = await Promise.all(unlisted.map((name) => dropUnlessYoung(name, named)));
      return !dropped.includes(false);
    },
  };
}

/** Ended generations: the collections that an alias no longer lists, and their consumer groups. */
export interface EndedGenerations {
  /**
   * Drops the collections of a read model's ended generations, and deletes their consumer groups.
   * @param named generations that were listed until now, which are dropped at any age
   * @returns whether no ended generation remains. A consumer group with members remains.
   */
  drop: (model: ModelName, named?: readonly string[]) => Promise<boolean>;
}

export interface EndedGenerationsDependencies {
  readonly aliases: Pick<Aliases, 'find'>;
  readonly generations: Pick<GenerationStore, 'dropUnlisted'>;
  readonly groups: Pick<GroupOffsets, 'forget'>;
  /** The prefix of each consumer group's name. */
  readonly prefix: string;
}

export function createEndedGenerations(dependencies: EndedGenerationsDependencies): EndedGenerations {
  const { aliases, generations, groups, prefix } = dependencies;
  return {
    drop: async (model, named = []) => {
      const isDropped = await generations.dropUnlisted(model, named);
      const alias = await aliases.find(model);
      const written = alias === null ? [] : foldedGenerations(alias).map((name) => groupOf(prefix, name));
      const first = groupOf(prefix, `${model}.v`);
      const isForgotten = await groups.forget((group) => group.startsWith(first) && !written.includes(group));
      return isDropped && isForgotten;
    },
  };
}
