import { setTimeout as pause } from 'node:timers/promises';

import type { Command } from 'commander';

import { erasableModels } from '../../projections/erasure/eraseAccount.js';
import { createRandom } from '../../shared/core/random.js';
import type { AccountFact } from '../../shared/domain/accounts/account.js';
import { createIdentifiers, isIdentifier } from '../../shared/domain/core/identifiers.js';
import { accountRecords } from '../../shared/log/records/accounts.js';
import { createAccountReservations } from '../../shared/store/coordination/accountReservations.js';
import { createErasure } from '../../shared/store/queries/erasure.js';
import { readConfig } from '../environment/environment.js';
import { logUnchanged } from '../environment/operator.js';
import { type Stores, withStores } from '../environment/stores.js';
import { askForName } from '../terminal/confirmation.js';
import { CommandFailure, print } from '../terminal/output.js';
import { createProgressBar } from '../terminal/progressBar.js';
import { changeAccount, missingAccount, type AccountStores } from './changeAccount.js';

const explanation = `
Every process rejects the account's keys within a second. The account's webhooks get no further deliveries, and all
data of the account is removed from the read models. The command waits for the removal. If the command is interrupted,
the roles continue the deletion. Run the command again to see whether the deletion is finished. A deletion cannot be
undone. docs/operations/run.md lists the data that remains: events until the topics' retention ends, backups, and
delivered events.`;

export function addDeleteAccountCommand(account: Command): void {
  account
    .command('delete')
    .description('delete an account and all its data permanently')
    .argument('<id>', 'the id of the account')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', explanation)
    .action(async (id: string, { yes }: { yes?: boolean }) => {
      const config = await readConfig();
      const isMarked = await withStores(config, (stores) => deleteAccount(stores, id, yes === true));
      if (!isMarked) {
        logUnchanged(config, 'account delete', id);
      }
      print(
        isMarked
          ? `${id} is deleted.`
          : `${id} was already deleted. The read models contain no data of the account.`,
      );
    });
}

/** @returns false if the account was deleted earlier and the command only removed its remaining data */
async function deleteAccount(stores: Stores, id: string, isSure: boolean): Promise<boolean> {
  const account = await accountToDelete(stores, id);
  if (account.status === 'live') {
    if (!isSure) {
      const question =
        `The command deletes the account ${id} and all its data permanently. Type the name of ` +
        `the account (${account.name}) to continue:`;
      await askForName(question, account.name);
    }
    await markDeleted(stores, id);
  }
  if (account.status === 'unreadable') {
    if (!isSure) {
      const question =
        `The data key of ${id} is missing, so the name of the account is unknown. The command deletes the ` +
        'account and all its data permanently. Type the id of the account to continue:';
      await askForName(question, id);
    }
    await markUnreadableDeleted(stores, id);
  }
  const bar = createProgressBar('removed');
  await waitUntilErased(stores, id, bar.show).finally(bar.clear);
  return account.status !== 'deleted';
}

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
async function accountToDelete(
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
async function markUnreadableDeleted(
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
