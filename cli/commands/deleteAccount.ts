import type { Command } from 'commander';

import {
  accountToDelete,
  markDeleted,
  markUnreadableDeleted,
  waitUntilErased,
} from '../accounts/deleteAccount.js';
import { readConfig } from '../environment/environment.js';
import { logUnchanged } from '../environment/operator.js';
import { print } from '../terminal/output.js';
import { createProgressBar } from '../terminal/progressBar.js';
import { withStores, type Stores } from '../environment/stores.js';
import { askForName } from '../terminal/nameConfirmation.js';

const explanation = `
Its keys are refused within a second on every process, its webhooks get no further deliveries, and all that the read models hold of it is
removed. The command waits for that; cut off, it can be run again, and the roles go on without it.
It cannot be taken back. What it does not reach (events until the topics' retention, backups, what was delivered) is told in
docs/operations.md.`;

export function addDeleteAccountCommand(account: Command): void {
  account
    .command('delete')
    .description('delete an account for good, with all its data')
    .argument('<id>', 'the id of the account')
    .option('--yes', 'do not ask')
    .addHelpText('after', explanation)
    .action(async (id: string, { yes }: { yes?: boolean }) => {
      const config = await readConfig();
      const isMarked = await withStores(config, (stores) => deleteAccount(stores, id, yes === true));
      if (!isMarked) {
        logUnchanged(config, 'account delete', id);
      }
      print(isMarked ? `${id} is deleted.` : `${id} was already deleted. None of its data is left.`);
    });
}

/** @returns false if the account was deleted before, and only the rest of its data had to be removed */
async function deleteAccount(stores: Stores, id: string, isSure: boolean): Promise<boolean> {
  const account = await accountToDelete(stores, id);
  if (account.status === 'live') {
    if (!isSure) {
      const question = `This deletes ${id} and all its data for good. Type its name (${account.name}) to go on:`;
      await askForName(question, account.name);
    }
    await markDeleted(stores, id);
  }
  if (account.status === 'unreadable') {
    if (!isSure) {
      const question = `The data key of ${id} is missing, so its name is unknown. This deletes the account and all its data permanently. Type its id to continue:`;
      await askForName(question, id);
    }
    await markUnreadableDeleted(stores, id);
  }
  const bar = createProgressBar('removed');
  await waitUntilErased(stores, id, bar.show).finally(bar.clear);
  return account.status !== 'deleted';
}
