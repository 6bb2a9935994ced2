import type { Mutation } from './mutation.js';

/** Ways to break what a webhook's secrets, its changes and its enabling do. */
export const webhookMutations: readonly Mutation[] = [
  {
    name: 'an older secret signs longer than it was to',
    file: 'shared/domain/signingSecrets.ts',
    find: 'expiresAt: one.expiresAt ?? previousExpiresAt',
    replace: 'expiresAt: previousExpiresAt',
    test: 'test/shared/domain/webhook.test.ts',
    grep: 'keep the expiry of a secret that was rotated before',
  },
  {
    name: 'secrets that are encrypted again lose their expiry',
    file: 'shared/domain/signingSecrets.ts',
    find: 'sealed[index] ?? secret, expiresAt }',
    replace: 'sealed[index] ?? secret, expiresAt: expiresAt === null ? null : null }',
    test: 'test/shared/domain/webhook.test.ts',
    grep: 'keep their order and expiry',
  },
  {
    name: 'expired secrets are dropped before a fact finds them by their place',
    file: 'shared/domain/webhook.ts',
    find: 'withoutExpiredSecrets(changedWebhook(state, fact), fact.context.at)',
    replace: 'changedWebhook(withoutExpiredSecrets(state, fact.context.at), fact)',
    test: 'test/shared/domain/webhook.test.ts',
    grep: 'keep to their places where an encryption meets one that has expired',
  },
  {
    name: 'expired secrets stay in the document',
    file: 'shared/domain/webhook.ts',
    find: 'return withSecrets(webhook, validAt(webhook.secrets, at));',
    replace:
      'return withSecrets(webhook, at.getTime() < 0 ? validAt(webhook.secrets, at) : webhook.secrets);',
    test: 'test/shared/domain/webhook.test.ts',
    grep: 'are forgotten by the next fact behind their expiry',
  },
  {
    name: 'a webhook has any number of secrets',
    file: 'shared/domain/signingSecrets.ts',
    find: '.slice(0, maximumSigningSecrets)',
    replace: '',
    test: 'test/shared/domain/webhook.test.ts',
    grep: 'are ten at most',
  },
  {
    name: 'an active webhook is enabled anew',
    file: 'shared/domain/webhook.ts',
    find: "return webhook.status === 'active'\n    ? webhook",
    replace: "return webhook.status === 'active' && enabledAt.getTime() === 0\n    ? webhook",
    test: 'test/shared/domain/webhook.test.ts',
    grep: 'is not enabled anew while it is active',
  },
];
