import { UnavailableError } from '../../shared/core/errors.js';
import type { ModelAnswer } from '../../shared/store/models/readModels.js';

const retryAfterSeconds = 2;

/**
 * The documents of a complete read model. A document that is missing in a complete model does not exist.
 * @throws UnavailableError if the model is incomplete, because a missing document may then exist
 */
export function completeDocuments<Model>({ documents, meta }: ModelAnswer<Model>): readonly Model[] {
  if (!meta.complete) {
    throw new UnavailableError('the read model is being rebuilt from the log', { retryAfterSeconds });
  }
  return documents;
}
