import type { ModelName } from '../../shared/store/models/modelDefinitions.js';
import { attemptsProjection } from '../models/attempts.js';
import { auditProjection } from '../models/audit.js';
import { eventsProjection } from '../models/events.js';
import { eventTypesProjection } from '../models/eventTypes.js';
import type { ErasableProjection } from '../models/projection.js';
import { replaysProjection } from '../models/replays.js';
import { statsProjection } from '../models/stats.js';
import { tenantsProjection } from '../models/tenants.js';

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
  eventTypesProjection,
  tenantsProjection,
].flatMap(({ name, accountDocumentsFilter }) =>
  accountDocumentsFilter === undefined ? [] : [{ name, accountDocumentsFilter }],
);
