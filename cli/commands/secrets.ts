import type { Command } from 'commander';

import { readConfig } from '../environment/environment.js';
import { logOperatorCommand } from '../environment/operator.js';
import { print } from '../terminal/output.js';
import { createProgressBar } from '../terminal/progressBar.js';
import { reencryptSecrets, type Reencrypted } from '../secrets/reencryptSecrets.js';
import { withStores } from '../environment/stores.js';

const explanation = `
To rotate the key that encrypts the secrets of webhooks:
  1. Put the new key after the old one in POSTRIDER_ENCRYPTION_KEYS, and restart every process, so that all of them
     can decrypt with it. Skip this step if you stop all processes before you start the first one again.
  2. Put the new key first, and restart every process.
  3. Run "postrider secrets reencrypt". If it is interrupted, run it again.
  4. When it prints that the old key is not needed any more, remove that key and restart every process.
If POSTRIDER_ENCRYPTION_KEYS lacks a key that is still needed, a process exits at its start and names the key.`;

export function addSecretsCommands(program: Command): void {
  program
    .command('secrets')
    .command('reencrypt')
    .description('encrypt all secrets in use with the first key of POSTRIDER_ENCRYPTION_KEYS')
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
      ? `All secrets in use were already encrypted with the key "${key}".`
      : `${secrets} secrets of ${webhooks} webhooks and the data keys of ${accounts} accounts were ` +
        `encrypted again. All secrets in use are now encrypted with the key "${key}".`;
  return [first, ...describeOldKeys(done)].join('\n');
}

function describeOldKeys({ oldKeys, oldKeysNeededUntil }: Reencrypted): readonly string[] {
  if (oldKeys.length === 0) {
    return [];
  }
  const names = oldKeys.map((id) => `"${id}"`).join(', ');
  return oldKeysNeededUntil === null
    ? [`${names} is not needed any more. Remove it from POSTRIDER_ENCRYPTION_KEYS.`]
    : [
        `Keep ${names} until ${oldKeysNeededUntil}. The key encrypts stored responses to requests with an ` +
          'Idempotency-Key. Without the key, the API answers a repeated request with 503 until then.',
      ];
}
