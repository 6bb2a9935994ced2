import { setTimeout as pause } from 'node:timers/promises';

import { erasableModels } from '../../projections/models/erasableModels.js';
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

/** Told how much was there when it was first looked, and how much of that is gone. */
export type OnErased = (gone: number, total: number) => void;

const pollMs = 250;
/** Counting a large account exactly would take longer than removing a page of it. */
const countedAtMost = 10_000;
const patienceMs = 60_000;

/** An account to be deleted. What was deleted before may still have something to be removed. */
export type DeletableAccount =
  | { readonly status: 'live'; readonly name: string }
  | { readonly status: 'deleted' }
  /** The log has lost its data key, so that no process can read what it is called. */
  | { readonly status: 'unreadable' };

/**
 * The account to be deleted.
 * @throws CommandFailure if there never was such an account
 */
export async function accountToDelete(
  { models }: Pick<Stores, 'models'>,
  accountId: string,
): Promise<DeletableAccount> {
  const ids = isIdentifier('acct', accountId) ? [accountId] : [];
  const [key] = (await models.accountKeys.findByIds(ids)).documents;
  if (key?.lacksKey === true) {
    return { status: 'unreadable' };
  }
  const [account] = (await models.accounts.findByIds(ids)).documents;
  if (account === undefined) {
    throw missingAccount(accountId);
  }
  return account.isDeleted === true ? { status: 'deleted' } : { status: 'live', name: account.name };
}

function deletionBy({ operator }: Pick<Stores, 'operator'>): AccountFact {
  return { type: 'postrider.account.deleted', value: { actor: operator } };
}

/** Deletes an account for good. All else follows from this one record, whatever becomes of the process that wrote it. */
export function markDeleted(stores: AccountStores, accountId: string): Promise<void> {
  return changeAccount(stores, accountId, () => ({ fact: deletionBy(stores), result: undefined }));
}

/**
 * Deletes an account whose data key the log has lost. A command would wait for the model of accounts, which is not complete until the
 * deletion is in the log. So it is appended without the account's lease: it is final, whatever precedes or follows it.
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
 * Waits while the roles remove what there is of a deleted account.
 * @param stallMs for how long nothing may be removed before it gives up
 * @throws CommandFailure where nobody removes it now
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
        `${accountId} is deleted and its keys are refused, but nobody removes what is left of it: ` +
          'that is done by "postrider projections" and "postrider delivery" while they run.',
      );
    }
    await pause(pollMs);
  }
}

/** How much of a deleted account is still there: webhooks that are not deleted, its data key, idempotency keys, documents. */
async function countLeft({ models, mongo }: ErasedStores, accountId: string): Promise<number> {
  const { documents: webhooks } = await models.webhooks.findAll({ accountId });
  const account = { id: accountId, webhookIds: webhooks.map(({ _id }) => _id) };
  const erasure = createErasure(mongo.database);
  const counts = await Promise.all([
    createAccountReservations(mongo.database).count(accountId, countedAtMost),
    ...erasableModels.map(({ name, documentsOf }) =>
      erasure.count(name, documentsOf(account), countedAtMost),
    ),
  ]);
  const keys = (await models.accountKeys.findByIds([accountId])).documents;
  const live = webhooks.filter(({ status }) => status !== 'deleted').length;
  const opening = keys.filter(({ key }) => key !== null).length;
  return counts.reduce((sum, count) => sum + count, live + opening);
}
