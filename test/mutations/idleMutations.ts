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
    name: 'each who wants to know asks by itself',
    file: 'shared/mongo/modelWatch.ts',
    find: 'await (asking?.answer ?? askNow())',
    replace: 'await askNow()',
    test: 'test/shared/mongo/modelWatch.test.ts',
    grep: 'asks once for all',
  },
  {
    name: 'a model that was just begun is not there for a second',
    file: 'shared/mongo/modelWatch.ts',
    find: 'listed !== undefined && isOfUse(listed) ? last : null',
    replace: '(listed === undefined || isOfUse(listed)) ? last : null',
    test: 'test/shared/mongo/modelWatch.test.ts',
    grep: 'asks again at once for an alias that was not there',
  },
  {
    name: 'a generation that was there once is there for ever',
    file: 'shared/mongo/modelWatch.ts',
    find: 'last?.asked.has(generation) === true && last.isYounger(metaCacheMs) ? last : null',
    replace: 'last?.asked.has(generation) === true ? last : null',
    test: 'test/shared/mongo/modelWatch.test.ts',
    grep: 'notices a generation that is emptied',
  },
  {
    name: 'a model that was emptied is not noticed without traffic',
    file: 'projections/runner.ts',
    find: '(await watch.metaOf(generation.name).catch(() => undefined)) === null',
    replace: 'generation.name.length === 0',
    test: 'test/projections/runner.test.ts',
    grep: 'gives a generation up, once',
  },
];
