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

/**
 * How long a readiness check waits for the read model, in milliseconds. The time limit is shorter than the timeout of a
 * readiness check.
 */
const modelTimeoutMs = 300;

/**
 * The check that the log has a data key for each account with sealed records. Without the data key, no process can read
 * the account's sealed records, and the read models of accounts stay incomplete. The check asks the brokers only if a
 * data key is missing.
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
    // The fold reads topics in any order. So the log may contain a data key, or a deletion, that the read model does
    // not contain yet.
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
        // The error is ignored, because another check reports that the read model is incomplete or unavailable.
        if (error instanceof UnavailableError) {
          return null;
        }
        throw error;
      }),
  };
}
