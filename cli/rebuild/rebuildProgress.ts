import type { ModelPositions } from '../../shared/store/models/generations.js';
import type { ModelName } from '../../shared/store/models/readModels.js';

export type RebuildStep = 'converting' | 'building' | 'switching' | 'comparing';

/** The progress of the rebuild of one model. */
export interface RebuildProgress {
  readonly model: ModelName;
  readonly step: RebuildStep;
  /** The number of records that were read. During a conversion or comparison: the number of documents. */
  readonly done: number;
  readonly total: number;
}

export type ReportProgress = (progress: RebuildProgress) => void;

/** The number of records below these offsets, if the log has deleted none. */
export function recordsBelow(positions: ModelPositions = {}): number {
  return Object.values(positions)
    .flatMap((offsets) => Object.values(offsets))
    .reduce((sum, offset) => sum + offset, 0);
}
