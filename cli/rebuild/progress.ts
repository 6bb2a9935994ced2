import type { ModelPositions } from '../../shared/store/models/generations.js';
import type { ModelName } from '../../shared/store/models/readModels.js';

export type RebuildStep = 'converting' | 'building' | 'switching' | 'comparing';

/** How far the rebuild of one model is. */
export interface RebuildProgress {
  readonly model: ModelName;
  readonly step: RebuildStep;
  /** Records that were read, of those that are in the log. While documents are converted or compared, documents. */
  readonly done: number;
  readonly total: number;
}

export type ReportProgress = (progress: RebuildProgress) => void;

/** How many records stand below these offsets, in a log that has deleted none. */
export function recordsBelow(positions: ModelPositions = {}): number {
  return Object.values(positions)
    .flatMap((offsets) => Object.values(offsets))
    .reduce((sum, offset) => sum + offset, 0);
}
