import type { Mutation } from './mutation.js';

/** Ways to break how the log is read: fetch positions, commits, rebalances, and faults of brokers and topics. */
export const readingMutations: readonly Mutation[] = [
  {
    name: 'positions do not move over the markers of transactions',
    file: 'shared/kafka/groupConsumer.ts',
    find: 'if (batchSize === 0) {',
    replace: 'if (batchSize < 0) {',
    test: 'test/shared/kafka/transactions.test.ts',
    grep: 'leave no lag behind where nothing but an aborted one',
  },
  {
    name: 'a window ends with the last record and not behind the marker',
    file: 'shared/kafka/windowedConsumer.ts',
    find: 'assignment.window.skipTo(endOfPart);',
    replace: '',
    test: 'test/shared/kafka/transactions.test.ts',
    grep: 'are handled where they are committed',
  },
  {
    name: 'a model does not move over the markers of transactions',
    file: 'projections/runner.ts',
    find: 'if (end > next) {',
    replace: 'if (fresh.length > 0) {',
    test: 'test/shared/kafka/transactions.test.ts',
    grep: 'hold up no command',
  },
  {
    name: 'what was aborted is read',
    file: 'shared/kafka/groupConsumer.ts',
    find: 'allowAutoTopicCreation: false,',
    replace: 'allowAutoTopicCreation: false, readUncommitted: true,',
    test: 'test/shared/kafka/transactions.test.ts',
    grep: 'are handled where they are committed',
  },
  {
    name: 'a log that begins again below what was committed is read on',
    file: 'shared/kafka/readPositions.ts',
    find: 'if (position.offset < floor) {',
    replace: 'if (position.offset < -1) {',
    test: 'test/shared/kafka/harmedTopic.test.ts',
    grep: 'a topic that is deleted under a running consumer',
  },
  {
    name: 'records that the log has deleted are not reported',
    file: 'shared/kafka/batchReader.ts',
    find: 'void goneRecords.reportSince({ topic, next });',
    replace: 'void next;',
    test: 'test/shared/kafka/harmedTopic.test.ts',
    grep: 'are missed by a running consumer',
  },
  {
    name: 'more is resolved than was taken',
    file: 'shared/kafka/batchReader.ts',
    find: 'payload.resolveOffset(String(next - 1));',
    replace: 'payload.resolveOffset(String(part.end - 1));',
    test: 'test/shared/kafka/windowedConsumer.test.ts',
    grep: 'pauses a partition whose window is full',
  },
  {
    name: 'what a broker does not acknowledge counts as acknowledged',
    file: 'shared/kafka/laneProducer.ts',
    find: 'if (answer?.baseOffset === undefined || answer.errorCode !== 0) {',
    replace: 'if (answer?.errorCode === -2) {',
    test: 'test/shared/kafka/cluster.test.ts',
    grep: 'lane producer on three brokers',
  },
];
