import type { Mutation } from './mutation.js';

/** Ways to break the deletion of accounts. */
export const erasureMutations: readonly Mutation[] = [
  {
    name: 'records of a deleted account are folded again',
    file: 'projections/sift.ts',
    find: 'records.filter((record) => !ids.has(accountIdOf(record)))',
    replace: 'records.filter((record) => !ids.has(accountIdOf(record)) || ids.size > 0)',
    test: 'test/cli/deleteAccount.test.ts',
    grep: 'postrider account delete',
  },
  {
    name: 'documents of a deleted account stay',
    file: 'projections/erasing/eraseAccount.ts',
    find: 'removed += await removeAll(dependencies, model, account, signal);',
    replace: "removed += model.name === 'stats' ? 0 : await removeAll(dependencies, model, account, signal);",
    test: 'test/cli/deleteAccount.test.ts',
    grep: 'postrider account delete',
  },
  {
    name: 'webhooks of a deleted account go on',
    file: 'consumers/erasing/endAccount.ts',
    find: 'await Promise.all(documents.map(deleteWebhook));',
    replace: 'await Promise.all(documents.slice(1).map(deleteWebhook));',
    test: 'test/cli/deleteAccount.test.ts',
    grep: 'postrider account delete',
  },
  {
    name: 'a deleted account keeps its keys',
    file: 'shared/domain/account.ts',
    find: 'return state?.isDeleted === true ? state : deletedAccount(fact.context);',
    replace: 'return state?.isDeleted === true ? deletedAccount(fact.context) : state;',
    test: 'test/shared/domain/account.test.ts',
    grep: 'leaves nothing but the id',
  },
  {
    name: 'an account comes back where its creation is met behind its deletion',
    file: 'shared/domain/account.ts',
    find: 'return state ?? createdAccount(fact.value, fact.context);',
    replace:
      'return state === null || state.isDeleted === true ? createdAccount(fact.value, fact.context) : state;',
    test: 'test/shared/domain/account.test.ts',
    grep: 'evolveAccount: deleted',
  },
  {
    name: 'idempotency keys of a deleted account stay',
    file: 'consumers/erasing/endAccount.ts',
    find: 'const forgotten = await reservations.removeAll(accountId);',
    replace: "const forgotten = await reservations.removeAll(accountId + ' ');",
    test: 'test/cli/deleteAccount.test.ts',
    grep: 'postrider account delete',
  },
  {
    name: 'an account is settled while something of it may still come',
    file: 'shared/deletedAccountSweep.ts',
    find: 'const isLate = now() - since >= settledAfterMs;',
    replace: 'const isLate = now() - since >= 0;',
    test: 'test/shared/deletedAccountSweep.test.ts',
    grep: 'looks at every deleted account, and again',
  },
];
