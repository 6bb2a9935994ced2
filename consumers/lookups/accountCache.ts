import { createBoundedSet } from '../../shared/concurrency/boundedMap.js';
import { UnavailableError } from '../../shared/core/errors.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { AccountDocument } from '../../shared/store/models/documents.js';
import { allPartitions, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';

/**
 * Whether an account exists. False is a firm answer: the log holds no such account.
 * @throws UnavailableError where that cannot be told now
 */
export type AccountExists = (accountId: string) => Promise<boolean>;

export interface AccountCacheDependencies {
  readonly model: Pick<ReadModel<AccountDocument>, 'findByIds'>;
  readonly progress: ModelProgress;
  readonly offsets: TopicOffsets;
  /** How many accounts are remembered: an account that exists goes on existing. */
  readonly capacity: number;
}

const modelTimeoutMs = 4000;

/** Looks an account up once: all who ask for it meanwhile share the answer, and one that exists is remembered. */
export function createAccountCache(dependencies: AccountCacheDependencies): AccountExists {
  const { model, progress, offsets, capacity } = dependencies;
  const known = createBoundedSet<string>(capacity);
  const asking = new Map<string, Promise<boolean>>();

  const isInModel = async (accountId: string) => {
    const { documents } = await model.findByIds([accountId]);
    return documents.length > 0;
  };

  const ask = async (accountId: string): Promise<boolean> => {
    if (await isInModel(accountId)) {
      return true;
    }
    const ends = allPartitions(await offsets.ends('accounts'));
    if (!(await progress.reached('accounts', ends, modelTimeoutMs))) {
      throw new UnavailableError(`whether there is an account ${accountId} is not known yet`);
    }
    return isInModel(accountId);
  };

  const askOnce = (accountId: string): Promise<boolean> => {
    const asked = asking.get(accountId);
    if (asked !== undefined) {
      return asked;
    }
    const answer = ask(accountId).finally(() => asking.delete(accountId));
    asking.set(accountId, answer);
    return answer;
  };

  return async (accountId) => {
    if (known.has(accountId)) {
      return true;
    }
    const exists = await askOnce(accountId);
    if (exists) {
      known.add(accountId);
    }
    return exists;
  };
}
