import picocolors from 'picocolors';

import { signInUrl } from '../../shared/domain/accounts/signInLink.js';
import type { CreatedAccount } from '../accounts/createAccount.js';
import type { StartAccount } from './firstAccount.js';
import { demoAccount } from './startDefaults.js';

/**
 * The text that `start` prints when all roles run: the addresses, an example request and, on the first start, the keys
 * of the demo account.
 */
export function readyText(address: string, account: StartAccount): string {
  const key = account.status === 'created' ? account.account.liveKey : '$POSTRIDER_API_KEY';
  return [
    '',
    picocolors.bold(picocolors.green(`Postrider is ready at ${address}`)),
    ...accountLines(address, account),
    '',
    'Post an event:',
    '',
    `  curl ${address}/v1/events \\`,
    `    -H "Authorization: Bearer ${key}" \\`,
    `    -H "Content-Type: application/json" \\`,
    `    -d '{"type":"order.completed","data":{"orderId":"ord_1","amount":4200,"currency":"eur"}}'`,
    '',
    'Ctrl-C stops everything; the data stays in .postrider/',
    '',
  ].join('\n');
}

/**
 * The lines about keys. A later start cannot know whether the keys were printed, because the process of the first start
 * may have been killed. So it says how to get other keys.
 */
function accountLines(address: string, account: StartAccount): readonly string[] {
  const dashboard = `  dashboard  ${address}/dashboard`;
  switch (account.status) {
    case 'created':
      return [
        `  dashboard  ${signInUrl(address, account.account.signInToken)}`,
        `  live key   ${account.account.liveKey}`,
        `  test key   ${account.account.testKey}   (keep the keys, and sign in: they are shown this once)`,
      ];
    case 'existing':
      return [
        dashboard,
        '  keys       are shown when they are created; create more in the dashboard',
        `  sign in    npx postrider account sign-in-link ${account.id} ${account.email}`,
      ];
    case 'deleted':
      return [dashboard, '  keys       there is no account; create one: npx postrider account create --help'];
  }
}

/** The keys of a new account until they are printed. No later start can print them. */
export interface UnprintedKeys {
  readonly keep: (account: CreatedAccount) => void;
  /** Notes that the kept keys were printed, as a part of another text. */
  readonly noteThePrint: () => void;
  /** Prints the kept keys if they were not printed. After this call, `keep` prints keys at once. */
  readonly printNow: () => void;
}

export function createUnprintedKeys(print: (text: string) => void): UnprintedKeys {
  let kept: readonly CreatedAccount[] = [];
  let isEnding = false;
  const printKept = () => {
    kept.forEach((account) => {
      print(describe(account));
    });
    kept = [];
  };
  return {
    keep: (account) => {
      kept = [account];
      if (isEnding) {
        printKept();
      }
    },
    noteThePrint: () => {
      kept = [];
    },
    printNow: () => {
      isEnding = true;
      printKept();
    },
  };
}

function describe({ id, liveKey, testKey }: CreatedAccount): string {
  return [
    'The demo account was created before the service was ready. Its keys are shown this once:',
    `  account    ${id}`,
    `  live key   ${liveKey}`,
    `  test key   ${testKey}`,
    `  sign in    npx postrider account sign-in-link ${id} ${demoAccount.email}   (while the service runs)`,
  ].join('\n');
}
