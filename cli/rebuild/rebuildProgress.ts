import type { ModelPositions } from '../../shared/store/models/generations.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';

export type RebuildStep = 'converting' | 'building' | 'switching' | 'comparing';

export interface RebuildProgress {
  readonly model: ModelName;
  readonly step: RebuildStep;
  /** The number of records that were read, or of documents during a conversion or comparison. */
  readonly done: number;
  readonly total: number;
}

export type ReportProgress = (progress: RebuildProgress) => void;

/** The number of records below these offsets, if the log has deleted no record. */
export function recordsBelow(positions: ModelPositions = {}): number {
  return Object.values(positions)
    .flatMap((offsets) => Object.values(offsets))
    .reduce((sum, offset) => sum + offset, 0);
}
