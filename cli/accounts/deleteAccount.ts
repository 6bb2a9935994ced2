import { setTimeout as pause } from 'node:timers/promises';

import { erasableModels } from '../../projections/erasure/eraseAccount.js';
import type { AccountFact } from '../../shared/domain/accounts/account.js';
import { createIdentifiers, isIdentifier } from '../../shared/domain/core/identifiers.js';
import { createAccountReservations } from '../../shared/store/coordination/accountReservations.js';
import { createErasure } from '../../shared/store/queries/erasure.js';
import { createRandom } from '../../shared/core/random.js';
import { accountRecords } from '../../shared/log/records/accounts.js';
import { changeAccount, missingAccount, type AccountStores } from './changeAccount.js';
import { CommandFailure } from '../terminal/commandFailure.js';
import type { Stores } from '../environment/stores.js';

type ErasedStores = Pick<Stores, 'models' | 'mongo'>;

/** Receives how many parts of the account are removed, and how many the first count found. */
export type OnErased = (gone: number, total: number) => void;

const pollMs = 250;
/**
 * The largest count of documents. An exact count of a large account would take longer than removing a page of
 * documents.
 */
const countedAtMost = 10_000;
const patienceMs = 60_000;

/** The state of an account before its deletion. An account that was deleted earlier may still have data to remove. */
export type DeletableAccount =
  | { readonly status: 'live'; readonly name: string }
  | { readonly status: 'deleted' }
  /** The log has lost the account's data key, so no process can read the account's name. */
  | { readonly status: 'unreadable' };

/**
 * Finds the account to delete.
 * @throws CommandFailure if no account ever had this id
 */
export async function accountToDelete(
  { models }: Pick<Stores, 'models'>,
  accountId: string,
): Promise<DeletableAccount> {
  const ids = isIdentifier('acct', accountId) ? [accountId] : [];
  const [key] = (await models.accountKeys.findByIds(accountId, ids)).documents;
  if (key?.lacksKey === true) {
    return { status: 'unreadable' };
  }
  const [account] = (await models.accounts.findByIds(accountId, ids)).documents;
  if (account === undefined) {
    throw missingAccount(accountId);
  }
  return account.isDeleted === true ? { status: 'deleted' } : { status: 'live', name: account.name };
}

function deletionBy({ operator }: Pick<Stores, 'operator'>): AccountFact {
  return { type: 'postrider.account.deleted', value: { actor: operator } };
}

/**
 * Deletes an account permanently. The roles remove the account's data after this one record, even if this process ends.
 */
export function markDeleted(stores: AccountStores, accountId: string): Promise<void> {
  return changeAccount(stores, accountId, () => ({ fact: deletionBy(stores), result: undefined }));
}

/**
 * Deletes an account whose data key the log has lost. A command would wait for the read model of accounts, which is
 * complete only after the deletion. The record is therefore appended without the account's lease. The order of other
 * records does not matter, because a deletion is final.
 */
export async function markUnreadableDeleted(
  stores: Pick<Stores, 'log' | 'operator'>,
  accountId: string,
): Promise<void> {
  const at = new Date();
  const id = createIdentifiers(createRandom()).createRecordId(at);
  const context = { id, key: accountId, accountId, mode: null, at };
  await stores.log.append(accountRecords.encode(deletionBy(stores), context));
}

/**
 * Waits while the roles remove the data of a deleted account.
 * @param stallMs the longest time without progress
 * @throws CommandFailure if the removal makes no progress
 */
export async function waitUntilErased(
  stores: ErasedStores,
  accountId: string,
  onErased: OnErased,
  stallMs = patienceMs,
): Promise<void> {
  let total = 0;
  let least = Infinity;
  let movedAt = performance.now();
  for (;;) {
    const left = await countLeft(stores, accountId);
    total = Math.max(total, left);
    onErased(total - left, total);
    if (left === 0) {
      return;
    }
    if (left < least || left >= countedAtMost) {
      least = left;
      movedAt = performance.now();
    }
    if (performance.now() - movedAt > stallMs) {
      throw new CommandFailure(
        `Account ${accountId} is deleted and its keys are rejected, but the removal of its data ` +
          `has stopped. Start ` +
          `"postrider projections" and "postrider delivery", which remove the data.`,
      );
    }
    await pause(pollMs);
  }
}

/**
 * Counts the remaining parts of a deleted account: webhooks that are not deleted, the data key, idempotency keys and
 * documents.
 */
async function countLeft({ models, mongo }: ErasedStores, accountId: string): Promise<number> {
  const erasure = createErasure(mongo.database);
  const counts = await Promise.all([
    createAccountReservations(mongo.database).count(accountId, countedAtMost),
    erasure.count('webhooks', { accountId, status: { $in: ['active', 'disabled'] } }, countedAtMost),
    ...erasableModels.map(({ name, accountDocumentsFilter }) =>
      erasure.count(name, accountDocumentsFilter(accountId), countedAtMost),
    ),
  ]);
  const keys = (await models.accountKeys.findByIds(accountId, [accountId])).documents;
  const opening = keys.filter(({ key }) => key !== null).length;
  return counts.reduce((sum, count) => sum + count, opening);
}
