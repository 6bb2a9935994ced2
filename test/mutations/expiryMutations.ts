import type { Mutation } from './mutation.js';

const sweep = 'projections/erasure/expirySweep.ts';
const sweepTest = 'test/projections/erasure/expirySweep.test.ts';

/** Ways to break the promise that nothing expires of which something is still to come. */
export const expiryMutations: readonly Mutation[] = [
  {
    name: 'an event expires whose first attempts are not done',
    file: sweep,
    find: 'source.offset < (committed[source.partition] ?? 0)',
    replace: 'source.offset <= (committed[source.partition] ?? 0)',
    test: sweepTest,
    grep: 'whose first attempts are not done',
  },
  {
    name: 'an event expires that is being tried again',
    file: 'shared/store/queries/expiredDocuments.ts',
    find: "['pending', 'retrying']",
    replace: "['pending']",
    test: sweepTest,
    grep: 'is being tried again',
  },
  {
    name: 'events expire by a model that does not know what is open',
    file: sweep,
    find: "(await progress.reached('deliveries', allPartitions(deliveries), modelTimeoutMs));",
    replace: 'deliveries.length > 0;',
    test: sweepTest,
    grep: 'while the model is behind',
  },
  {
    name: 'attempts stay whose events a process has removed before it was killed',
    file: sweep,
    find: 'const attempts = await inPages(attemptsPage, below, signal);',
    replace: 'const attempts = events === 0 ? 0 : await inPages(attemptsPage, below, signal);',
    test: 'test/endToEnd/killedExpiry.outage.ts',
    grep: 'where it has removed the events alone',
  },
  {
    name: 'what is planned for an event that is gone waits for ever',
    file: 'consumers/lookups/eventStates.ts',
    find: "content === null && !hasReached(found.meta, 'events', awaited)",
    replace: 'content === null',
    test: 'test/consumers/lookups/eventStates.test.ts',
    grep: 'is nothing where the complete model',
  },
  {
    name: 'a model that is behind ends what is planned',
    file: 'consumers/lookups/eventStates.ts',
    find: "content === null && !hasReached(found.meta, 'events', awaited)",
    replace: 'awaited.size < 0',
    test: 'test/consumers/lookups/eventStates.test.ts',
    grep: 'while the model is behind the log',
  },
  {
    name: 'a redriven record is listed still',
    file: 'shared/log/deadLetters/redrive.ts',
    find: 'await appendAll(deadLetterTopic(topic), markers);',
    replace: 'void markers;',
    test: 'test/cli/deadLetters/redriveOpen.test.ts',
    grep: 'appends each record once',
  },
  {
    name: 'a record is redriven once for each group that has refused it',
    file: 'cli/deadLetters/redriveOpen.ts',
    find: 'byPosition.set(name, byPosition.get(name) ?? letter);',
    replace: 'byPosition.set(`${name}${letter.group}`, letter);',
    test: 'test/cli/deadLetters/redriveOpen.test.ts',
    grep: 'appends each record once',
  },
];
