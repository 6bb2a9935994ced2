import './test/mutations/mutantProcess.js';

/**
 * The modules that mutation tests change: code that decides or folds, and whose tests need no server. The test of a
 * module has the same name in `test/`.
 */
const modules = [
  'shared/domain/**/*',
  'consumers/engine/deliver',
  'consumers/engine/executeAttempt',
  'consumers/engine/inFlightRegistry',
  'consumers/engine/outcomeBackpressure',
  'consumers/engine/outcomeFacts',
  'consumers/engine/outcomeLog',
  'consumers/engine/resumeDelivery',
  'consumers/fairness/attemptAdmission',
  'consumers/fairness/attemptSlots',
  'consumers/fairness/bucketQueue',
  'consumers/fairness/fairScheduler',
  'consumers/fairness/slotPools',
  'consumers/fairness/tenantSemaphore',
  'consumers/fairness/turnRing',
  'consumers/fairness/windowShare',
  'consumers/retry/autoDisable',
  'consumers/retry/disableWebhook',
  'consumers/retry/retryPolicy',
  'consumers/sources/retries',
  'projections/erasure/erasableModels',
  'projections/fold/foldDocuments',
  'projections/fold/foldFences',
  'projections/fold/poisonRecords',
  'projections/fold/recentRecordIds',
  'projections/models/accountKeys',
  'projections/models/accounts',
  'projections/models/attempts',
  'projections/models/audit',
  'projections/models/deduplicate',
  'projections/models/events',
  'projections/models/replays',
  'projections/models/stats',
  'projections/models/webhooks',
];

/** The modules of `fairScheduler`, whose test compares them with naive algorithms. */
const partsOfScheduler = [
  'consumers/fairness/fairQueue',
  'consumers/fairness/linkedQueue',
  'consumers/fairness/webhookQueue',
];

/** Further tests of the mutated modules. */
const moreTests = [
  'consumers/engine/attemptOutcome',
  'consumers/engine/deliverySteps',
  'consumers/sources/retriesOverShare',
  'consumers/sources/retryResumption',
];

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: [...modules, ...partsOfScheduler].map((module) => `${module}.ts`),
  testRunner: 'mocha',
  testRunnerNodeArgs: ['--import', 'tsx', '--import', './test/mutations/mutantProcess.js'],
  mochaOptions: {
    'no-config': true,
    spec: [...modules, ...moreTests].map((module) => `test/${module}.test.ts`),
  },
  plugins: ['@stryker-mutator/mocha-runner', './test/mutations/exhaustiveness.js'],
  ignorers: ['exhaustiveness'],
  coverageAnalysis: 'perTest',
  // A mutant of a constant needs its own process, which loads and runs all tests.
  ignoreStatic: true,
  thresholds: { high: 98, low: 94, break: 90 },
  concurrency: 2,
  incremental: true,
  incrementalFile: 'node_modules/.cache/stryker/incremental.json',
  tempDirName: 'node_modules/.cache/stryker/sandbox',
  reporters: ['clear-text', 'json'],
  clearTextReporter: { logTests: false, allowColor: false },
  jsonReporter: { fileName: 'node_modules/.cache/stryker/report.json' },
};
