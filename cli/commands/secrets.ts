import type { Command } from 'commander';

import { readConfig } from '../environment/environment.js';
import { logOperatorCommand } from '../environment/operator.js';
import { print } from '../terminal/output.js';
import { createProgressBar } from '../terminal/progressBar.js';
import { reencryptSecrets, type Reencrypted } from '../secrets/reencryptSecrets.js';
import { withStores } from '../environment/stores.js';

const explanation = `
To rotate the key that secrets of webhooks are encrypted with:
  1. put a new key before the old one in POSTRIDER_ENCRYPTION_KEYS, and start every process again
  2. run this; it may be run again at any time, and goes on where it was cut off
  3. once it says so, take the old key out, and start every process again
A process that is started too early ends at once and names the key that it lacks.`;

export function addSecretsCommands(program: Command): void {
  program
    .command('secrets')
    .description('encrypt what is kept of secrets with another key')
    .command('reencrypt')
    .description('encrypt all secrets that still sign with the first key of POSTRIDER_ENCRYPTION_KEYS')
    .option('--json', 'print JSON')
    .addHelpText('after', explanation)
    .action(async (options: { json?: boolean }) => {
      const config = await readConfig();
      const bar = createProgressBar('accounts and webhooks');
      const done = await withStores(config, (stores) => {
        logOperatorCommand(config, 'secrets reencrypt', { firstKey: config.encryptionKeys[0]?.id });
        return reencryptSecrets(stores, config.encryptionKeys, bar.show);
      }).finally(bar.clear);
      print(options.json === true ? done : describe(done));
    });
}

function describe(done: Reencrypted): string {
  const { key, secrets, webhooks, accounts } = done;
  const first =
    secrets + accounts === 0
      ? `All that is live was under the key "${key}" already.`
      : `${secrets} secrets of ${webhooks} webhooks and the data keys of ${accounts} accounts were encrypted again: ` +
        `all that is live is under the key "${key}".`;
  return [first, ...describeOldKeys(done)].join('\n');
}

function describeOldKeys({ oldKeys, oldKeysNeededUntil }: Reencrypted): readonly string[] {
  if (oldKeys.length === 0) {
    return [];
  }
  const names = oldKeys.map((id) => `"${id}"`).join(', ');
  return oldKeysNeededUntil === null
    ? [`Nothing needs ${names} any more: take it out of POSTRIDER_ENCRYPTION_KEYS.`]
    : [
        `Keep ${names} until ${oldKeysNeededUntil}: answers to requests with an Idempotency-Key are sealed with it. ` +
          'Without it a repeat of such a request is answered with 503 until then.',
      ];
}
