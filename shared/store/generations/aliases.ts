import type { Db, Filter, UpdateFilter } from 'mongodb';

import {
  aliasCollection,
  type AliasDocument,
  type ModelPositions,
  type RejectedGeneration,
} from '../models/generations.js';
import type { ModelName } from '../models/modelDefinitions.js';

/**
 * The alias documents, which list the generations of each read model. Each change succeeds only if the alias has not
 * changed since its caller read it, and returns whether it succeeded. If several processes make the same change, one
 * succeeds.
 */
export interface Aliases {
  /** Finds the alias of a read model; null if the read model never had a generation. */
  find: (model: ModelName) => Promise<AliasDocument | null>;
  /** Reads the aliases of all read models, by read model. */
  all: () => Promise<ReadonlyMap<string, AliasDocument>>;
  /** Starts the folds of a generation after the documents of its source generation were converted. */
  endConversion: (model: ModelName, building: string) => Promise<boolean>;
  /** Records that the operator accepts a new generation with fewer documents than the live generation. */
  acceptLoss: (model: ModelName, building: string) => Promise<boolean>;
  /** Begins a switchover: processes that wait for the read model also wait for the new generation. */
  startSwitching: (model: ModelName, building: string) => Promise<boolean>;
  /** Reverts `startSwitching`, because the new generation has fallen behind. */
  stopSwitching: (model: ModelName, building: string) => Promise<boolean>;
  /** Makes the new generation the live generation. */
  switchOver: (model: ModelName, switched: Switch) => Promise<boolean>;
  /** Removes a generation that is being built from the alias, and records why it was rejected. */
  reject: (model: ModelName, rejected: RejectedGeneration) => Promise<boolean>;
  /** Stops all writes to a previous generation. */
  stopWriting: (model: ModelName, previous: string) => Promise<boolean>;
  /** Removes a generation that is being built, or the previous generation, from the alias. */
  unlist: (model: ModelName, generation: string) => Promise<boolean>;
  /** Sets the offsets at which the folds of a generation stop, and reports that the operator's command is running. */
  buildUntil: (model: ModelName, building: string, until: ModelPositions) => Promise<boolean>;
  /** Reports that the operator's command that compares the generation is running. */
  seen: (model: ModelName, building: string) => Promise<boolean>;
  /** Removes a generation from the alias if its command has not reported for `afterMs` milliseconds. */
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
    // The age of the last report is measured by MongoDB's clock alone.
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
