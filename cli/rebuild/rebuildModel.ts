import { setTimeout as pause } from 'node:timers/promises';

import { versionOf, type PreviousGeneration } from '../../shared/mongo/generations.js';
import { endsOf } from '../../shared/mongo/modelEnds.js';
import type { ModelName } from '../../shared/mongo/readModels.js';
import { CommandFailure } from '../failure.js';
import type { Stores } from '../stores.js';
import { beginBuilding } from './beginBuilding.js';
import { recordsBelow, type RebuildProgress, type ReportProgress } from './progress.js';

export interface RebuiltModel {
  readonly model: ModelName;
  readonly version: number;
  /** The name of its collection. */
  readonly generation: string;
  readonly documents: number;
  /** How many there were before. */
  readonly documentsBefore: number;
  readonly seconds: number;
}

const pollMs = 250;
/** How long it waits for the database or the brokers, in milliseconds. */
const serverAwayMs = 60_000;

/**
 * Asks for a rebuild, and waits until the projections have switched to it. Where the command ends before, the rebuild goes
 * on without it.
 * @throws CommandFailure where the rebuild was given up
 */
export async function rebuildModel(
  stores: Stores,
  model: ModelName,
  report: ReportProgress,
): Promise<RebuiltModel> {
  const startedAt = performance.now();
  const generation = await beginBuilding(stores, model, 'switch');
  const { documents, successorDocuments } = await untilSwitched(stores, model, generation, report);
  return {
    model,
    version: versionOf(generation),
    generation,
    documents: successorDocuments,
    documentsBefore: documents,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
  };
}

type Counts = Pick<PreviousGeneration, 'documents' | 'successorDocuments'>;

async function untilSwitched(
  stores: Stores,
  model: ModelName,
  generation: string,
  report: ReportProgress,
): Promise<Counts> {
  let answeredAt = performance.now();
  for (;;) {
    try {
      const progress = await progressOf(stores, model, generation);
      if ('documents' in progress) {
        return progress;
      }
      report(progress);
      answeredAt = performance.now();
    } catch (error) {
      // The rebuild goes on without a server as well as the projections do.
      if (error instanceof CommandFailure || performance.now() - answeredAt > serverAwayMs) {
        throw error;
      }
    }
    await pause(pollMs);
  }
}

/** How far the rebuild is, or the counts of the switch that has ended it. */
async function progressOf(
  { aliases, generations, offsets }: Stores,
  model: ModelName,
  generation: string,
): Promise<RebuildProgress | Counts> {
  const alias = await aliases.find(model);
  if (alias?.live === generation && alias.previous !== undefined) {
    return alias.previous;
  }
  const building = alias?.building;
  if (building?.name !== generation) {
    throw new CommandFailure(
      `The rebuild of ${model} was given up: its documents were emptied meanwhile. Run it again.`,
    );
  }
  const [meta, ends] = await Promise.all([generations.metaOf(generation), endsOf(offsets, model)]);
  return { model, step: building.state, done: recordsBelow(meta?.positions), total: recordsBelow(ends) };
}
