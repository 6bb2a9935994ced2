import { randomBytes } from 'node:crypto';

import { UnavailableError } from '../core/errors.js';
import type { SealedSecret } from '../domain/webhooks/signingSecrets.js';
import type { TopicOffsets } from '../log/client/topicOffsets.js';
import { accountKeysTopic } from '../log/topics/names.js';
import type { ReadinessCheck } from '../runtime/readiness.js';
import { createSecretBox, type EncryptionKey } from '../security/secretBox.js';
import type { AccountKeyDocument } from '../store/models/documents.js';
import { accountKeyIndexes } from '../store/models/indexes.js';
import { modelDefinitions } from '../store/models/modelDefinitions.js';
import { reachedEnds, type ModelProgress } from '../store/models/modelProgress.js';
import type { ReadModel } from '../store/models/readModels.js';

/**
 * The data key of an account, or `destroyed` if the account was deleted. A data key is `missing` if the account has
 * sealed records but the log contains neither the data key nor the deletion. A data key can be missing if records of
 * `account-keys` were lost, or if they are newer than the other topics, as after a restore.
 */
export type AccountKey = Buffer | 'destroyed' | 'missing';

/** The error for accounts whose data keys the log has lost. The operator must restore the keys, or delete the accounts. */
export class MissingAccountKeyError extends Error {
  override readonly name = 'MissingAccountKeyError';

  /** @param accountIds at least one account id; the message names the first three */
  constructor(accountIds: readonly string[]) {
    const named = accountIds.slice(0, namedAtMost).join(', ');
    const more = accountIds.length > namedAtMost ? ' and others' : '';
    super(
      `The topic ${accountKeysTopic} has no key for the sealed records of ${named}${more}, and ` +
        `the log has no deletion of the account. Restore the topic from its newest backup. If no ` +
        `backup contains the key of an account, delete the account: postrider account delete ID`,
    );
  }
}

/** The data keys of accounts, which seal the personal data in records that are retained without limit. */
export interface AccountKeys {
  /**
   * Finds the data keys of accounts. An account that was created without a data key has no entry, and never gets a data
   * key.
   * @throws UnavailableError if the read model is behind or unavailable, or if no encryption key opens a data key
   */
  find: (accountIds: readonly string[]) => Promise<ReadonlyMap<string, AccountKey>>;
  /** Creates a data key of 32 random bytes for an account, and seals the data key with the first encryption key. */
  create: (accountId: string) => { readonly key: Buffer; readonly sealed: SealedSecret };
}

export interface AccountKeysDependencies {
  readonly models: { readonly accountKeys: Pick<ReadModel<AccountKeyDocument>, 'findInAllAccounts'> };
  readonly progress: { readonly accountKeys: ModelProgress };
  readonly offsets: TopicOffsets;
}

const keyBytes = 32;
const modelTimeoutMs = 4000;
/** The maximum number of accounts that an error message names. */
const namedAtMost = 3;

/**
 * Creates access to the data keys of accounts. Data keys are not cached, because a destroyed data key must not survive
 * in a process.
 */
export function createAccountKeys(
  { models, progress, offsets }: AccountKeysDependencies,
  encryptionKeys: readonly EncryptionKey[],
): AccountKeys {
  const box = createSecretBox(encryptionKeys);

  const openedOf = ({ _id: accountId, key: sealed, isDeleted }: AccountKeyDocument): AccountKey => {
    if (isDeleted === true) {
      return 'destroyed';
    }
    if (sealed === null) {
      return 'missing';
    }
    const key = box.open(sealed, accountId);
    if (key === null) {
      throw new UnavailableError(`no key in POSTRIDER_ENCRYPTION_KEYS decrypts the data key of ${accountId}`);
    }
    return key;
  };

  const findInModel = async (accountIds: readonly string[]) => {
    const { documents } = await models.accountKeys.findInAllAccounts(accountIds);
    return new Map(documents.map((document) => [document._id, openedOf(document)]));
  };

  return {
    find: async (accountIds) => {
      const known = await findInModel(accountIds);
      if (accountIds.every((id) => (known.get(id) ?? 'missing') !== 'missing')) {
        return known;
      }
      if (!(await hasReadLog({ progress, offsets }, modelTimeoutMs))) {
        throw new UnavailableError('this process is still reading the data keys of accounts from the log');
      }
      return findInModel(accountIds);
    },
    create: (accountId) => {
      const key = randomBytes(keyBytes);
      return { key, sealed: box.seal(key, accountId) };
    },
  };
}

/**
 * Whether the read model `accountKeys` reads the current content of its topics within a time limit. The topics contain
 * the data keys and the deletions of accounts.
 * @throws UnavailableError if the brokers do not answer within the time limit
 */
async function hasReadLog(
  { progress, offsets }: Pick<AccountKeysDependencies, 'progress' | 'offsets'>,
  timeoutMs: number,
): Promise<boolean> {
  const reached = modelDefinitions.accountKeys.topics.map((topic) =>
    reachedEnds({ progress: progress.accountKeys, offsets }, topic, timeoutMs),
  );
  return (await Promise.all(reached)).every((isReached) => isReached);
}

export interface MissingAccountKeysDependencies {
  readonly models: { readonly accountKeys: Pick<ReadModel<AccountKeyDocument>, 'findPage'> };
  readonly progress: { readonly accountKeys: ModelProgress };
  readonly offsets: TopicOffsets;
}

/**
 * How long a readiness check waits for the read model, in milliseconds. The time limit is shorter than the timeout of a
 * readiness check.
 */
const checkTimeoutMs = 300;

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
    if (!(await hasReadLog(dependencies, checkTimeoutMs))) {
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
