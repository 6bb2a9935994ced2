import { UnavailableError } from '../core/errors.js';
import type { TopicOffsets } from '../log/client/topicOffsets.js';
import type { ReadinessCheck } from '../runtime/readiness.js';
import type { AccountKeyDocument } from '../store/models/documents.js';
import { accountKeyIndexes } from '../store/models/indexes.js';
import type { ModelProgress } from '../store/models/modelProgress.js';
import type { ReadModel } from '../store/models/readModels.js';
import { hasReadLog, MissingAccountKeyError, namedAtMost } from './accountKeys.js';

export interface MissingAccountKeysDependencies {
  readonly models: { readonly accountKeys: Pick<ReadModel<AccountKeyDocument>, 'findPage'> };
  readonly progress: { readonly accountKeys: ModelProgress };
  readonly offsets: TopicOffsets;
}

/** Shorter than the timeout of a readiness check. */
const modelTimeoutMs = 300;

/**
 * The check that the log has a data key for each account with sealed records. Without the key, no record of the account
 * can be read, and the models of accounts stay incomplete. The check asks the brokers only if a key is missing.
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
    // Topics are read in any order, so the log may contain a key, or a deletion, that the model has not read.
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
        // The check of the model reports that it is incomplete or unavailable.
        if (error instanceof UnavailableError) {
          return null;
        }
        throw error;
      }),
  };
}
