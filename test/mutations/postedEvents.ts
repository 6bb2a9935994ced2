import {
  drop,
  invertCondition,
  removeAwait,
  removeCall,
  replaceArgument,
  replaceCall,
  replaceCondition,
  replaceName,
  replaceOperator,
  replaceReturn,
  replaceValue,
} from './changes.js';
import type { Mutation } from './mutation.js';

const tests = {
  batch: 'test/api/resources/postedEvents/batch.test.ts',
  batchKeys: 'test/api/idempotency/batch.test.ts',
  cloudEvents: 'test/api/resources/postedEvents/cloudEvents.test.ts',
  posting: 'test/api/resources/postedEvents/postEvents.test.ts',
  checked: 'test/api/eventTypes/postedEvents.test.ts',
  states: 'test/api/eventTypes/states.test.ts',
  queue: 'test/api/eventTypes/worker/workerQueue.test.ts',
  thread: 'test/api/eventTypes/worker/schemaThread.test.ts',
  types: 'test/api/resources/eventTypes/eventTypes.test.ts',
  dryRun: 'test/api/resources/eventTypes/dryRun.test.ts',
  catalog: 'test/api/resources/eventTypes/catalogDocument.test.ts',
  folds: 'test/projections/models/eventTypes.test.ts',
  hostile: 'test/shared/jsonSchema/hostile.test.ts',
  suite: 'test/shared/jsonSchema/suite.test.ts',
  oracles: 'test/shared/jsonSchema/oracles.test.ts',
} as const;

/** Batches, CloudEvents and event types. */
export const postedEventMutations: readonly Mutation[] = [
  // Batches
  {
    file: 'api/postedEvents/items.ts',
    function: 'maximumBatchEvents',
    change: replaceValue('501'),
    test: tests.batch,
  },
  {
    file: 'api/postedEvents/batch.ts',
    function: 'readEvent',
    change: replaceArgument('validateItem', 2, "'events[0]'"),
    test: tests.batch,
  },
  {
    file: 'api/postedEvents/batch.ts',
    function: 'createBatchReader.takeName',
    change: replaceCondition('has', 'false'),
    test: tests.batch,
  },
  {
    file: 'api/middleware/eventBody.ts',
    function: 'eventsOfRequest',
    change: replaceValue('100'),
    test: 'test/api/middleware/rateLimit.test.ts',
  },
  {
    file: 'api/resources/postedEvents/itemKeys.ts',
    function: 'hashOf',
    change: replaceArgument('JSON.stringify', 0, '[]'),
    test: tests.batchKeys,
  },
  {
    file: 'api/resources/postedEvents/itemKeys.ts',
    function: 'claimsOf.byName',
    change: replaceName('toReversed', 'slice'),
    test: tests.batchKeys,
  },
  {
    file: 'api/resources/postedEvents/itemKeys.ts',
    function: 'itemKeys.digest',
    change: replaceName('mode', "'live'"),
    test: tests.batchKeys,
  },
  // CloudEvents
  {
    file: 'api/postedEvents/cloudEvents.ts',
    function: 'postedEvent',
    change: replaceName('source', "''", 2),
    test: tests.cloudEvents,
  },
  {
    file: 'api/postedEvents/attributes.ts',
    function: 'reserved',
    change: drop('orderingkey'),
    test: tests.cloudEvents,
  },
  {
    file: 'api/postedEvents/attributes.ts',
    function: 'rules.datacontenttype.isValid',
    change: replaceValue('() => true'),
    test: tests.cloudEvents,
  },
  {
    file: 'api/postedEvents/attributes.ts',
    function: 'attributesIn.posted',
    change: replaceCall('interpreted.has', 'false'),
    test: tests.cloudEvents,
  },
  {
    file: 'api/postedEvents/cloudEvents.ts',
    function: 'decodeHeaderValue.unquoted',
    change: replaceValue('value'),
    test: tests.cloudEvents,
  },
  // Checks of posted events
  {
    file: 'api/eventTypes/checkPosted.ts',
    function: 'checkFound.isRejected',
    change: replaceCondition('reject', 'true'),
    test: tests.checked,
  },
  {
    file: 'api/eventTypes/checkPosted.ts',
    function: 'checkFound.isRejected',
    change: replaceOperator('!==', '==='),
    test: tests.checked,
  },
  {
    file: 'api/eventTypes/validationErrors.ts',
    function: 'rejectedEvent',
    change: replaceReturn("apiError('event_data_invalid', 'invalid', { param: validation.param })"),
    test: tests.checked,
  },
  {
    file: 'api/resources/postedEvents/itemChecks.ts',
    function: 'errorAfter',
    change: replaceCall('earlier.has', 'false'),
    test: tests.posting,
  },
  {
    file: 'api/eventTypes/typeCatalog.ts',
    function: 'isFresh',
    change: replaceReturn('known !== null'),
    test: tests.checked,
  },
  {
    file: 'api/resources/eventTypes/handlers.ts',
    function: 'createPut',
    change: removeAwait('pauseIf'),
    test: tests.checked,
  },
  {
    file: 'api/eventTypes/typeCatalog.ts',
    function: 'changedSince',
    change: replaceName('$gte', '$gt'),
    test: tests.checked,
  },
  {
    file: 'api/eventTypes/programs.ts',
    function: 'createPrograms.get',
    change: replaceCondition('revision', 'entry === undefined'),
    test: tests.states,
  },
  {
    file: 'api/eventTypes/programs.ts',
    function: 'createPrograms.start',
    change: removeCall('loadedBefore.add'),
    test: tests.states,
  },
  {
    file: 'api/eventTypes/eventCheck.ts',
    function: 'createEventChecks.checkLater',
    change: replaceCondition('warn', 'true'),
    test: tests.states,
  },
  // The worker threads
  {
    file: 'api/eventTypes/worker/workerQueue.ts',
    function: 'usualPause',
    change: replaceValue('{ factor: 1, longestMs: 500 }'),
    test: tests.queue,
  },
  {
    file: 'api/eventTypes/worker/workerQueue.ts',
    function: 'costlyPause',
    change: replaceValue('usualPause'),
    test: tests.queue,
  },
  {
    file: 'api/eventTypes/worker/workerQueue.ts',
    function: 'createWorkerQueue.startIn.job',
    change: replaceCondition('isOutsideShare', 'false'),
    test: tests.queue,
  },
  {
    file: 'api/eventTypes/worker/workerQueue.ts',
    function: 'createWorkerQueue.startIn',
    change: replaceCall('turns.delete', 'false'),
    test: tests.queue,
  },
  {
    file: 'api/eventTypes/worker/main.ts',
    function: 'checkSome',
    change: replaceCondition('remaining', 'false'),
    test: tests.thread,
  },
  {
    file: 'shared/concurrency/workerThread.ts',
    function: 'startWorkerThread',
    change: drop('env'),
    test: tests.thread,
  },
  // Event types
  {
    file: 'api/resources/eventTypes/dryRun.ts',
    function: 'checkUntil',
    change: replaceCondition('UnavailableError', 'true'),
    test: tests.dryRun,
  },
  {
    file: 'api/resources/eventTypes/dryRun.ts',
    function: 'checkEvents',
    change: replaceOperator('<', '==='),
    test: tests.dryRun,
  },
  {
    file: 'api/resources/eventTypes/definition.ts',
    function: 'createReadDefinition.exampleError',
    change: replaceReturn('Promise.resolve(null)'),
    test: tests.types,
  },
  {
    file: 'api/resources/eventTypes/catalog/eventCatalog.ts',
    function: 'tagOf',
    change: replaceArgument('hash.update', 0, 'name'),
    test: tests.types,
  },
  {
    file: 'shared/domain/eventTypes/eventType.ts',
    function: 'activeEventType.isCheckedAsBefore',
    change: replaceValue('before !== null'),
    test: tests.folds,
  },
  {
    file: 'projections/models/eventTypes.ts',
    function: 'documentOf',
    change: replaceOperator('!==', '===', 1),
    test: tests.folds,
  },
  // The interpreter
  {
    file: 'shared/jsonSchema/check/assertions.ts',
    function: 'areUnique',
    change: removeCall('spend'),
    test: tests.hostile,
  },
  {
    file: 'shared/jsonSchema/check/assertions.ts',
    function: 'namesOf',
    change: removeCall('spend'),
    test: tests.hostile,
  },
  {
    file: 'shared/jsonSchema/check/inPlace.ts',
    function: 'inPlaceKeywords.oneOf',
    change: replaceArgument('countValid', 3, '1'),
    test: tests.suite,
  },
  {
    file: 'shared/jsonSchema/program/encoding.ts',
    function: 'encode',
    change: replaceName('MAX_VALUE', 'MIN_VALUE'),
    test: tests.oracles,
  },
  {
    file: 'shared/jsonSchema/check/checkedData.ts',
    function: 'createCheckedData.isExact',
    change: replaceCall('hasLongNumbers', 'false'),
    test: tests.oracles,
  },
  {
    file: 'shared/jsonSchema/check/marks.ts',
    function: 'addMarks',
    change: replaceReturn('undefined'),
    test: tests.suite,
  },
  {
    file: 'shared/jsonSchema/compiler/unicodeProperties.ts',
    function: 'rangesInUniformPlane',
    change: invertCondition('rangesInPlane'),
    test: tests.oracles,
  },
];
