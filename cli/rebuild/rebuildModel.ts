import { setTimeout as pause } from 'node:timers/promises';

import { endOffsetsOf } from '../../shared/store/generations/endOffsets.js';
import {
  versionOf,
  type AliasDocument,
  type BuildingGeneration,
  type PreviousGeneration,
  type RejectedGeneration,
} from '../../shared/store/models/generations.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';
import type { Stores } from '../environment/stores.js';
import { CommandFailure } from '../terminal/output.js';
import type { RebuildPlan } from './planRebuild.js';
import { recordsBelow, type RebuildProgress, type ReportProgress } from './rebuildProgress.js';
import { startBuilding } from './startBuilding.js';

export interface RebuiltModel {
  readonly model: ModelName;
  readonly version: number;
  /** The name of the generation's collection. */
  readonly generation: string;
  /** The model version whose documents were converted, or null if the generation was built from the log. */
  readonly convertedFrom: number | null;
  readonly documents: number;
  readonly documentsBefore: number;
  readonly seconds: number;
}

const pollMs = 250;
/** The longest wait for the database or the brokers, in milliseconds. */
const serverAwayMs = 60_000;

/**
 * Requests a rebuild, and waits until the projections have switched to the new generation. If the command ends earlier,
 * the projections continue the rebuild.
 * @throws CommandFailure if the rebuild was canceled, or its generation was rejected
 */
export async function rebuildModel(
  stores: Stores,
  { model, source, lossAccepted }: RebuildPlan,
  report: ReportProgress,
): Promise<RebuiltModel> {
  const startedAt = performance.now();
  const options = { lossAccepted, ...(source !== undefined && { source }) };
  const generation = await startBuilding(stores, model, 'switch', options);
  const { documents, successorDocuments } = await untilSwitched(stores, model, generation, report);
  return {
    model,
    version: versionOf(generation),
    generation,
    convertedFrom: source === undefined ? null : versionOf(source),
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
      // An unavailable server delays the rebuild but does not end it, because the projections retry.
      if (error instanceof CommandFailure || performance.now() - answeredAt > serverAwayMs) {
        throw error;
      }
    }
    await pause(pollMs);
  }
}

/** The progress of the rebuild, or the counts after its switchover. */
async function progressOf(
  stores: Stores,
  model: ModelName,
  generation: string,
): Promise<RebuildProgress | Counts> {
  const alias = await stores.aliases.find(model);
  if (alias?.live === generation && alias.previous !== undefined) {
    return alias.previous;
  }
  const building = alias?.building;
  if (building?.name !== generation) {
    throw endedWithoutSwitch(model, generation, alias);
  }
  return { model, step: building.state, ...(await amountsOf(stores, model, building)) };
}

type Amounts = Pick<RebuildProgress, 'done' | 'total'>;

async function amountsOf(
  { generations, offsets }: Stores,
  model: ModelName,
  { name, source, state }: BuildingGeneration,
): Promise<Amounts> {
  if (source !== undefined && state === 'converting') {
    return { done: await generations.countOf(name), total: await generations.countOf(source) };
  }
  const [meta, ends] = await Promise.all([generations.metaOf(name), endOffsetsOf(offsets, model)]);
  return { done: recordsBelow(meta?.positions), total: recordsBelow(ends) };
}

function endedWithoutSwitch(
  model: ModelName,
  generation: string,
  alias: AliasDocument | null,
): CommandFailure {
  return new CommandFailure(
    alias?.rejected?.name === generation
      ? describeRejected(model, alias.rejected)
      : `The rebuild of ${model} was canceled, because its documents were deleted during the rebuild. Run "postrider rebuild" again.`,
  );
}

function describeRejected(model: ModelName, rejected: RejectedGeneration): string {
  const { documents, rejectedDocuments, lostRecords } = rejected;
  const reason =
    lostRecords > 0
      ? `the log has deleted ${lostRecords} records before they were read`
      : `the rebuilt model has ${rejectedDocuments} documents, but the present model has ${documents}`;
  return `The rebuild of ${model} was rejected: ${reason}. The read model was not changed. To rebuild and lose these documents, pass --accept-loss.`;
}
