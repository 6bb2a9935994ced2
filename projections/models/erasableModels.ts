import type { ModelName } from '../../shared/store/models/modelDefinitions.js';
import { attemptsProjection } from './attempts.js';
import { auditProjection } from './audit.js';
import { eventsProjection } from './events.js';
import type { ErasableProjection } from './projection.js';
import { replaysProjection } from './replays.js';
import { statsProjection } from './stats.js';

/** A model whose documents are removed when their account is deleted. */
export interface ErasableModel {
  readonly name: ModelName;
  readonly accountDocumentsFilter: NonNullable<ErasableProjection['accountDocumentsFilter']>;
}

/** The models whose folds do not remove the documents of a deleted account. */
export const erasableModels: readonly ErasableModel[] = [
  eventsProjection,
  attemptsProjection,
  auditProjection,
  statsProjection,
  replaysProjection,
].flatMap(({ name, accountDocumentsFilter }) =>
  accountDocumentsFilter === undefined ? [] : [{ name, accountDocumentsFilter }],
);
