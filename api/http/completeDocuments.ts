import { UnavailableError } from '../../shared/core/errors.js';
import type { ModelAnswer } from '../../shared/store/models/readModels.js';

const retryAfterSeconds = 2;

/**
 * The documents that a model was asked for, where what is missing among them does not exist.
 * @throws UnavailableError where the model is not complete: then absence would say nothing
 */
export function completeDocuments<Model>({ documents, meta }: ModelAnswer<Model>): readonly Model[] {
  if (!meta.complete) {
    throw new UnavailableError('what was stored is being read from the log', { retryAfterSeconds });
  }
  return documents;
}
