import { hasReadLog, MissingAccountKeyError, namedAtMost } from './accountKeys.js';
import { UnavailableError } from '../core/errors.js';
import type { TopicOffsets } from '../log/client/topicOffsets.js';
import type { AccountKeyDocument } from '../store/models/documents.js';
import { accountKeyIndexes } from '../store/models/indexes.js';
import type { ModelProgress } from '../store/models/modelProgress.js';
import type { ReadModel } from '../store/models/readModels.js';
import type { ReadinessCheck } from '../runtime/readiness.js';

export interface MissingAccountKeysDependencies {
  readonly models: { readonly accountKeys: Pick<ReadModel<AccountKeyDocument>, 'findPage'> };
  readonly progress: { readonly accountKeys: ModelProgress };
  readonly offsets: TopicOffsets;
}

/** Less than a readiness check may take. */
const modelTimeoutMs = 300;

/**
 * The check that the log has a data key for each account with sealed records. Without its key no record of the account can be read,
 * and the models of accounts cannot be completed. The brokers are asked only if a key is missing.
 */
export function createAccountKeyCheck(dependencies: MissingAccountKeysDependencies): ReadinessCheck {
  const accountsWithoutKey = async () => {
    const documents = await dependencies.models.accountKeys.findPage({
      ranges: [{ filter: { lacksKey: true }, sort: { lacksKey: 1 } }],
      limit: namedAtMost + 1,
      index: accountKeyIndexes.byMissingKey.key,
    });
    return documents.map(({ _id }) => _id);
  };

  const check = async () => {
    const before = await accountsWithoutKey();
    if (before.length === 0) {
      return null;
    }
    // Topics are read in any order: the key, or the deletion, of an account may be behind what the model has read.
    if (!(await hasReadLog(dependencies, modelTimeoutMs))) {
      return 'being read from the log';
    }
    const missing = await accountsWithoutKey();
    return missing.length === 0 ? null : new MissingAccountKeyError(missing).message;
  };

  return {
    name: 'account keys',
    check: () =>
      check().catch((error: unknown) => {
        // The check of the model says that it is incomplete, or cannot be read.
        if (error instanceof UnavailableError) {
          return null;
        }
        throw error;
      }),
  };
}
