import type { Db, Filter, UpdateFilter } from 'mongodb';

import {
  aliasCollection,
  type AliasDocument,
  type ModelPositions,
  type RejectedGeneration,
} from '../models/generations.js';
import type { ModelName } from '../models/readModels.js';

/**
 * The lists of every model's generations. Each change is conditional on the alias that its caller has read, and returns
 * whether it took effect. If several processes make the same change, one succeeds.
 */
export interface Aliases {
  /** Null if the model never had a generation. */
  find: (model: ModelName) => Promise<AliasDocument | null>;
  /** The aliases of all models, by model. */
  all: () => Promise<ReadonlyMap<string, AliasDocument>>;
  /** Starts the fold of a generation after the documents of its source were converted. */
  endConversion: (model: ModelName, building: string) => Promise<boolean>;
  /** Records that the operator accepts that the generation has fewer documents than the live one. */
  acceptLoss: (model: ModelName, building: string) => Promise<boolean>;
  /** Makes all processes that wait for the model wait for this generation too. */
  startSwitching: (model: ModelName, building: string) => Promise<boolean>;
  /** Reverts `startSwitching`, because the generation has fallen behind. */
  stopSwitching: (model: ModelName, building: string) => Promise<boolean>;
  /** Makes the built generation the live one. */
  switchOver: (model: ModelName, switched: Switch) => Promise<boolean>;
  /** Removes a generation that was being built from the list, and records the reason. */
  reject: (model: ModelName, rejected: RejectedGeneration) => Promise<boolean>;
  /** Stops all writes to a previous generation. */
  stopWriting: (model: ModelName, previous: string) => Promise<boolean>;
  /** Removes a generation that was being built, or a previous one, from the list. */
  unlist: (model: ModelName, generation: string) => Promise<boolean>;
  /** Sets the offsets at which a generation stops, and reports that the command that compares it is running. */
  buildUntil: (model: ModelName, building: string, until: ModelPositions) => Promise<boolean>;
  /** Reports that the command is running. */
  seen: (model: ModelName, building: string) => Promise<boolean>;
  /** Removes a generation from the list if its command has not reported for this long, in milliseconds. */
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
