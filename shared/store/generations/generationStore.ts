import { MongoServerError, type Db } from 'mongodb';

import { UnavailableError } from '../../core/errors.js';
import type { TopicOffsets } from '../../log/client/topicOffsets.js';
import { duplicateKey } from '../models/documentWrites.js';
import {
  aliasCollection,
  isReached,
  metaId,
  newGenerationName,
  type AliasDocument,
  type BuildingGeneration,
  type BuildingPurpose,
  type MetaDocument,
} from '../models/generations.js';
import { endOffsetsOf } from './endOffsets.js';
import { modelDefinitions, type ModelName } from '../models/readModels.js';

/** The beginning and the end of generations. */
export interface GenerationStore {
  /** The model's generations, after a first one was begun where none is live, or the live one was emptied. */
  ensureLive: (model: ModelName) => Promise<AliasDocument>;
  /**
   * Begins a generation beside the live one.
   * @returns its name, or null where one is being built already, or none is live
   * @throws UnavailableError if the source is not there
   */
  startBuilding: (
    model: ModelName,
    purpose: BuildingPurpose,
    options?: BuildingOptions,
  ) => Promise<string | null>;
  /** Makes the indexes that a generation lacks: a later program may have more. On a large collection it takes minutes or hours. */
  ensureIndexes: (model: ModelName, generation: string) => Promise<void>;
  /** How far a generation is; null where it is not there, or was emptied. */
  metaOf: (generation: string) => Promise<MetaDocument | null>;
  /** How many documents a generation has, by the database's own figures. */
  countOf: (generation: string) => Promise<number>;
  /** How many documents a generation has, counted one by one. Takes some seconds for ten million. */
  exactCountOf: (generation: string) => Promise<number>;
  /**
   * Drops the model's generations that are not listed: those that are named, and the others that were not begun just now, since
   * these are about to be listed.
   * @returns whether none is left
   */
  dropUnlisted: (model: ModelName, named: readonly string[]) => Promise<boolean>;
}

/** How a generation is built. */
export type BuildingOptions = Pick<BuildingGeneration, 'source' | 'lossAccepted'>;

/**
 * How long the answer to a build of indexes, or to a drop, may take, in milliseconds. The driver (mongodb 7.8) takes the limit of its socket from
 * the options of an operation, which its types do not name; its `timeoutMS` has no effect. TCP keepalive finds a server that is gone.
 */
const buildLimits = { comment: 'indexes of a read model', socketTimeoutMS: 24 * 60 * 60 * 1000 } as const;
const dropLimits = { comment: 'end of a read model', socketTimeoutMS: 60_000 } as const;
const countLimits = { comment: 'count of a read model', socketTimeoutMS: 10 * 60_000 } as const;
/** Longer than it takes to list a generation that was begun, in milliseconds. */
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

  /** Where a generation begins whose documents are converted from another one. Read before any of these documents. */
  const beginningOf = async (source: string): Promise<Beginning> => {
    const meta = await metaOf(source);
    if (meta === null) {
      throw new UnavailableError(`the generation ${source} is gone`);
    }
    return { positions: meta.positions, skipped: meta.skipped ?? {} };
  };

  /** A new generation that no alias lists yet. */
  const begin = async (model: ModelName, source?: string) => {
    const { version } = modelDefinitions[model];
    const name = newGenerationName(model, version);
    const target = await endOffsetsOf(offsets, model);
    const { positions, skipped } = source === undefined ? logBeginning : await beginningOf(source);
    const complete = source === undefined && isReached({}, target);
    const meta = { version, complete, positions, skipped, target };
    // First of all: without it nobody knows how old the collection is.
    await database
      .collection<MetaDocument>(name)
      .updateOne({ _id: metaId }, { $set: meta, $currentDate: { begunAt: true } }, { upsert: true });
    await ensureIndexes(model, name);
    return { name, target };
  };

  /** Whether the alias was still what we had seen. Of several processes that begin a model at once, one wins. */
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
    countOf: async (generation) =>
      // The meta document is no document of the model.
      Math.max(0, (await database.collection(generation).estimatedDocumentCount()) - 1),
    exactCountOf: (generation) =>
      database
        .collection<{ readonly _id: string }>(generation)
        .countDocuments({ _id: { $ne: metaId } }, { ...countLimits }),
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
          ? // From the first on: a process that did not know of it would go on to the end.
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
      // Read after them: what is listed meanwhile is no candidate.
      const alias = await aliases.findOne({ _id: model });
      const listed = [alias?.live, alias?.building?.name, alias?.previous?.name];
      const unlisted = found.map(({ name }) => name).filter((name) => !listed.includes(name));
      const dropped = await Promise.all(unlisted.map((name) => dropUnlessYoung(name, named)));
      return !dropped.includes(false);
    },
  };
}
