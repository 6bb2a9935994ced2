import picocolors from 'picocolors';

import { signInUrl } from '../../shared/domain/accounts/signInLink.js';
import type { CreatedAccount } from '../accounts/createAccount.js';

/**
 * The text that `start` prints when all roles run: the addresses, an example request and, on the first start, the keys
 * of the demo account.
 */
export function readyText(address: string, demo: CreatedAccount | null): string {
  const key = demo?.liveKey ?? '$POSTRIDER_API_KEY';
  const keys =
    demo === null
      ? [
          `  dashboard  ${address}/dashboard`,
          '  Your keys are those that were printed before; new ones: npx postrider account create --help',
        ]
      : [
          `  dashboard  ${signInUrl(address, demo.signInToken)}`,
          `  live key   ${demo.liveKey}`,
          `  test key   ${demo.testKey}   (keep the keys, and sign in: they are shown this once)`,
        ];
  return [
    '',
    picocolors.bold(picocolors.green(`Postrider is ready at ${address}`)),
    ...keys,
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
