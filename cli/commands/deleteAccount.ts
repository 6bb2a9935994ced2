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
import { askForName } from '../terminal/confirmation.js';

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
