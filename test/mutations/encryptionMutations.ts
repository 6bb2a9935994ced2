import type { Mutation } from './mutation.js';

/** Ways to break what becomes of encryption keys. */
export const encryptionMutations: readonly Mutation[] = [
  {
    name: 'roles start without a key that a live secret needs',
    file: 'shared/encryption/encryptionKeyCheck.ts',
    find: 'if (first === undefined) {',
    replace: 'if (first === undefined || missing.length > 0) {',
    test: 'test/cli/secrets/reencryptSecrets.test.ts',
    grep: 'is needed before a start of',
  },
  {
    name: 'nobody looks again for a missing key once the model is there',
    file: 'shared/encryption/encryptionKeyCheck.ts',
    find: 'while (!stopping.signal.aborted && !(await isAnswered(dependencies))) {',
    replace: 'while (!stopping.signal.aborted && (await isAnswered(dependencies))) {',
    test: 'test/shared/encryption/encryptionKeyCheck.test.ts',
    grep: 'ends every role that opens secrets',
  },
  {
    name: 'only the newest secret of a webhook is encrypted again',
    file: 'cli/secrets/resealWebhook.ts',
    find: 'const toDo = validAt(webhook.secrets, at).filter(',
    replace: 'const toDo = webhook.secrets.slice(0, 1).filter(',
    test: 'test/cli/secrets/reencryptSecrets.test.ts',
    grep: 'postrider secrets reencrypt',
  },
  {
    name: 'secrets of disabled webhooks stay under the old key',
    file: 'cli/secrets/reencryptSecrets.ts',
    find: 'filter: { ...sealedWithNoneOf([key], new Date()), _id',
    replace: "filter: { ...sealedWithNoneOf([key], new Date()), status: 'active', _id",
    test: 'test/cli/secrets/reencryptSecrets.test.ts',
    grep: 'postrider secrets reencrypt',
  },
  {
    name: 'a secret that another process has sealed meanwhile is overlooked',
    file: 'cli/secrets/reencryptSecrets.ts',
    find: 'if (found.length > 0) {',
    replace: 'if (found.length < 0) {',
    test: 'test/cli/secrets/reencryptSecrets.test.ts',
    grep: 'postrider secrets reencrypt',
  },
  {
    name: 'a secret that cannot be opened is a failed attempt',
    file: 'consumers/engine/signingKeys.ts',
    find: 'throw new Error(`the secret of ${webhookId} cannot be opened with any of the encryption keys`);',
    replace: 'return Buffer.alloc(32);',
    test: 'test/consumers/missingKey.test.ts',
    grep: 'waits, while others get their events',
  },
  {
    name: 'data keys of accounts stay under the old key',
    file: 'cli/secrets/reencryptSecrets.ts',
    find: 'const accounts = await inLanes(toDo.accounts, ',
    replace: 'const accounts = await inLanes(toDo.accounts.slice(1), ',
    test: 'test/cli/secrets/reencryptSecrets.test.ts',
    grep: 'postrider secrets reencrypt',
  },
];
