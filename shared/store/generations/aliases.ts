import type { Db, Filter, UpdateFilter } from 'mongodb';

import {
  aliasCollection,
  type AliasDocument,
  type ModelPositions,
  type RejectedGeneration,
} from '../models/generations.js';
import type { ModelName } from '../models/readModels.js';

/**
 * The lists of every model's generations. Each change takes effect where the alias is as its caller knows it, and
 * says whether it did: of several processes that do the same, one does it.
 */
export interface Aliases {
  /** Null where no generation of the model was ever begun. */
  find: (model: ModelName) => Promise<AliasDocument | null>;
  /** Those of all models, by name. */
  all: () => Promise<ReadonlyMap<string, AliasDocument>>;
  /** Has the generation folded from now on: the documents of its source were converted. */
  endConversion: (model: ModelName, building: string) => Promise<boolean>;
  /** Records that the operator accepts that the generation has less than the live one. */
  acceptLoss: (model: ModelName, building: string) => Promise<boolean>;
  /** Has whoever waits for the model wait for this generation too. */
  startSwitching: (model: ModelName, building: string) => Promise<boolean>;
  /** Takes that back: the generation has fallen behind. */
  stopSwitching: (model: ModelName, building: string) => Promise<boolean>;
  /** Makes the generation that is built the live one. */
  switchOver: (model: ModelName, switched: Switch) => Promise<boolean>;
  /** Lists a generation that was being built no longer, and why. */
  reject: (model: ModelName, rejected: RejectedGeneration) => Promise<boolean>;
  /** Keeps a previous generation as it is now. */
  stopWriting: (model: ModelName, previous: string) => Promise<boolean>;
  /** Lists a generation that was being built, or a previous one, no longer. */
  unlist: (model: ModelName, generation: string) => Promise<boolean>;
  /** Says up to where a generation is to be built, and that the command which compares it is there. */
  buildUntil: (model: ModelName, building: string, until: ModelPositions) => Promise<boolean>;
  /** Says that the command is there. */
  seen: (model: ModelName, building: string) => Promise<boolean>;
  /** Lists a generation no longer whose command has not said for so long that it is there, in milliseconds. */
  unlistUnseen: (model: ModelName, building: string, afterMs: number) => Promise<boolean>;
}

export interface Switch {
  readonly from: string;
  readonly to: string;
  readonly documents: number;
  readonly successorDocuments: number;
}

export function createAliases(database: Db): Aliases {
  const aliases = database.collection<AliasDocument>(aliasCollection);

  const change = async (
    model: ModelName,
    seen: Filter<AliasDocument>,
    update: UpdateFilter<AliasDocument>,
  ): Promise<boolean> => {
    const { matchedCount } = await aliases.updateOne({ ...seen, _id: model }, update);
    return matchedCount > 0;
  };

  return {
    find: (model) => aliases.findOne({ _id: model }),
    all: async () => new Map((await aliases.find().toArray()).map((alias) => [alias._id, alias])),
    endConversion: (model, building) =>
      change(
        model,
        { 'building.name': building, 'building.state': 'converting' },
        { $set: { 'building.state': 'building' } },
      ),
    acceptLoss: (model, building) =>
      change(model, { 'building.name': building }, { $set: { 'building.lossAccepted': true } }),
    startSwitching: (model, building) =>
      change(
        model,
        { 'building.name': building, 'building.state': 'building' },
        { $set: { 'building.state': 'switching' } },
      ),
    stopSwitching: (model, building) =>
      change(model, { 'building.name': building }, { $set: { 'building.state': 'building' } }),
    switchOver: (model, { from, to, documents, successorDocuments }) =>
      change(
        model,
        { live: from, 'building.name': to, 'building.state': 'switching' },
        {
          $set: { live: to, previous: { name: from, written: true, documents, successorDocuments } },
          $unset: { building: true },
        },
      ),
    reject: (model, rejected) =>
      change(
        model,
        { 'building.name': rejected.name, 'building.lossAccepted': { $ne: true } },
        { $set: { rejected }, $unset: { building: true } },
      ),
    stopWriting: (model, previous) =>
      change(model, { 'previous.name': previous }, { $set: { 'previous.written': false } }),
    unlist: async (model, generation) => {
      const wasBuilding = await change(
        model,
        { 'building.name': generation },
        { $unset: { building: true } },
      );
      return wasBuilding || change(model, { 'previous.name': generation }, { $unset: { previous: true } });
    },
    buildUntil: (model, building, until) =>
      change(
        model,
        { 'building.name': building },
        { $set: { 'building.until': until }, $currentDate: { 'building.seenAt': true } },
      ),
    seen: (model, building) =>
      change(model, { 'building.name': building }, { $currentDate: { 'building.seenAt': true } }),
    // By the database's clock alone.
    unlistUnseen: (model, building, afterMs) =>
      change(
        model,
        {
          'building.name': building,
          $expr: { $lt: ['$building.seenAt', { $subtract: ['$$NOW', afterMs] }] },
        },
        { $unset: { building: true } },
      ),
  };
}
