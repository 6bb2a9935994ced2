import type { ModelName } from '../../shared/store/models/readModels.js';
import { attemptsProjection } from './attempts.js';
import { auditProjection } from './audit.js';
import { eventsProjection } from './events.js';
import type { ErasableProjection } from './projection.js';
import { replaysProjection } from './replays.js';
import { statsProjection } from './stats.js';

/** A model whose documents go when their account is deleted. */
export interface ErasableModel {
  readonly name: ModelName;
  readonly documentsOf: NonNullable<ErasableProjection['documentsOf']>;
}

/** Those whose folds do not see to it themselves. */
export const erasableModels: readonly ErasableModel[] = [
  eventsProjection,
  attemptsProjection,
  auditProjection,
  statsProjection,
  replaysProjection,
].flatMap(({ name, documentsOf }) => (documentsOf === undefined ? [] : [{ name, documentsOf }]));
