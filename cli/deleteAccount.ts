import { setTimeout as pause } from 'node:timers/promises';

import { erasableModels } from '../projections/erasing/erasable.js';
import { isIdentifier } from '../shared/domain/identifiers.js';
import { createAccountReservations } from '../shared/mongo/accountReservations.js';
import type { AccountDocument } from '../shared/mongo/documents.js';
import { createErasure } from '../shared/mongo/erasure.js';
import { changeAccount, missingAccount, type AccountStores } from './changeAccount.js';
import { CommandFailure } from './failure.js';
import type { Stores } from './stores.js';

type ErasedStores = Pick<Stores, 'models' | 'mongo'>;

/** Told how much was there when it was first looked, and how much of that is gone. */
export type OnErased = (gone: number, total: number) => void;

const pollMs = 250;
/** Counting a large account exactly would take longer than removing a page of it. */
const countedAtMost = 10_000;
const patienceMs = 60_000;

/**
 * The account to be deleted: one that was deleted may still have something to be removed.
 * @throws CommandFailure where there never was such an account
 */
export async function accountToDelete(
  { models }: Pick<Stores, 'models'>,
  accountId: string,
): Promise<AccountDocument> {
  const [account] = isIdentifier('acct', accountId)
    ? (await models.accounts.findByIds([accountId])).documents
    : [];
  if (account === undefined) {
    throw missingAccount(accountId);
  }
  return account;
}

/** Deletes an account for good. All else follows from this one record, whatever becomes of the process that wrote it. */
export function markDeleted(stores: AccountStores, accountId: string): Promise<void> {
  return changeAccount(stores, accountId, () => ({
    fact: { type: 'postrider.account.deleted', value: { actor: stores.operator } },
    result: undefined,
  }));
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
