import type { Mutation } from './mutation.js';

/** Ways in which a process could cost more while it has nothing to do, or not notice what it has to. */
export const idleMutations: readonly Mutation[] = [
  {
    name: 'connections look at their requests ten times a second',
    file: 'shared/kafka/idleTimers.ts',
    find: 'const timeoutCheckMs = 1000;',
    replace: 'const timeoutCheckMs = 100;',
    test: 'test/shared/kafka/idleTimers.test.ts',
    grep: 'one timer, and that a slow one',
  },
  {
    name: 'connections look for waiting requests without end',
    file: 'shared/kafka/idleTimers.ts',
    find: 'if (this.pending.length > 0 || this.throttledUntil > Date.now()) {',
    replace: 'if (this.pending.length >= 0) {',
    test: 'test/shared/kafka/idleTimers.test.ts',
    grep: 'one timer, and that a slow one',
  },
  {
    name: 'a request without an answer is waited for without end',
    file: 'shared/kafka/idleTimers.ts',
    find: '      request.timeoutRequest();\n',
    replace: '',
    test: 'test/shared/kafka/idleTimers.test.ts',
    grep: 'ends a request all the same',
  },
  {
    name: 'each model asks for its own alias',
    file: 'shared/mongo/knownAliases.ts',
    find: 'reading ??= read().finally(() => {',
    replace: 'reading = read().finally(() => {',
    test: 'test/shared/mongo/knownAliases.test.ts',
    grep: 'asks once for the aliases of all models',
  },
  {
    name: 'a model that was just begun is not there for a second',
    file: 'shared/mongo/knownAliases.ts',
    find: 'listed !== undefined && isOfUse(listed) ? known : null',
    replace: '(listed === undefined || isOfUse(listed)) ? known : null',
    test: 'test/shared/mongo/knownAliases.test.ts',
    grep: 'asks again at once for one that was not there',
  },
  {
    name: 'each generation is asked for by itself',
    file: 'shared/mongo/presence.ts',
    find: 'const asked = new Set(interest.keys());',
    replace: 'const asked = new Set([generation]);',
    test: 'test/shared/mongo/presence.test.ts',
    grep: 'asks once for all',
  },
  {
    name: 'a generation that was there once is there for ever',
    file: 'shared/mongo/presence.ts',
    find: 'performance.now() - last.askedAt < maximumAgeMs',
    replace: 'last.askedAt < Infinity',
    test: 'test/shared/mongo/presence.test.ts',
    grep: 'notices one that is emptied',
  },
  {
    name: 'a model that was emptied is not noticed without traffic',
    file: 'projections/runner.ts',
    find: '!(await presence.isThere(generation.name).catch(() => true))',
    replace: 'generation.name.length === 0',
    test: 'test/projections/runner.test.ts',
    grep: 'gives a generation up, once',
  },
];
