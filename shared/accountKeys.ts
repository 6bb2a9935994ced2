import { randomBytes } from 'node:crypto';

import type { SealedSecret } from './domain/signingSecrets.js';
import { UnavailableError } from './errors.js';
import type { TopicOffsets } from './kafka/topicOffsets.js';
import type { AccountKeyDocument } from './mongo/documents.js';
import { allPartitions, type ModelProgress } from './mongo/modelProgress.js';
import type { ReadModel } from './mongo/readModels.js';
import { createSecretBox, type EncryptionKey } from './secretBox.js';
import { accountKeysTopic } from './topics/names.js';

/** The key of an account, or that it was destroyed. */
export type AccountKey = Buffer | 'destroyed';

/** The data keys of accounts: what is personal in records that are kept for ever is sealed with them. */
export interface AccountKeys {
  /**
   * Those of these accounts. An account that has none is missing: that is a firm answer.
   * @throws UnavailableError where it cannot be told now, or no encryption key opens one
   */
  find: (accountIds: readonly string[]) => Promise<ReadonlyMap<string, AccountKey>>;
  /** 32 random bytes for an account, and the same sealed with the first encryption key. */
  create: (accountId: string) => { readonly key: Buffer; readonly sealed: SealedSecret };
}

export interface AccountKeysDependencies {
  readonly models: { readonly accountKeys: Pick<ReadModel<AccountKeyDocument>, 'findByIds'> };
  readonly progress: { readonly accountKeys: ModelProgress };
  readonly offsets: TopicOffsets;
}

const keyBytes = 32;
const modelTimeoutMs = 4000;

/** Nothing is remembered: a key that is destroyed must not live on in a process. */
export function createAccountKeys(
  { models, progress, offsets }: AccountKeysDependencies,
  encryptionKeys: readonly EncryptionKey[],
): AccountKeys {
  const box = createSecretBox(encryptionKeys);

  const openedOf = ({ _id: accountId, key: sealed }: AccountKeyDocument): AccountKey => {
    if (sealed === null) {
      return 'destroyed';
    }
    const key = box.open(sealed, accountId);
    if (key === null) {
      throw new UnavailableError(`no encryption key opens the data key of ${accountId}`);
    }
    return key;
  };

  const findInModel = async (accountIds: readonly string[]) => {
    const { documents } = await models.accountKeys.findByIds(accountIds);
    return new Map(documents.map((document) => [document._id, openedOf(document)]));
  };

  return {
    find: async (accountIds) => {
      const known = await findInModel(accountIds);
      if (accountIds.every((id) => known.has(id))) {
        return known;
      }
      const ends = allPartitions(await offsets.ends(accountKeysTopic));
      if (!(await progress.accountKeys.reached(accountKeysTopic, ends, modelTimeoutMs))) {
        throw new UnavailableError('the data keys of accounts are being read from the log');
      }
      return findInModel(accountIds);
    },
    create: (accountId) => {
      const key = randomBytes(keyBytes);
      return { key, sealed: box.seal(key, accountId) };
    },
  };
}
