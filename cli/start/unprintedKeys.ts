import type { CreatedAccount } from '../accounts/createAccount.js';
import { demoAccount } from './startDefaults.js';

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
