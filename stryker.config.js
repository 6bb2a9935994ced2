import './test/mutations/mochaFiles.js';

/** Code that decides or folds, and needs no server for its tests. A file is tested by the file of the same name in `test/`. */
const modules = ['shared/domain/**/*'];

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: modules.map((module) => `${module}.ts`),
  testRunner: 'mocha',
  testRunnerNodeArgs: ['--import', 'tsx', '--import', './test/mutations/mochaFiles.js'],
  mochaOptions: { 'no-config': true, spec: modules.map((module) => `test/${module}.test.ts`) },
  plugins: ['@stryker-mutator/mocha-runner', './test/mutations/exhaustiveness.js'],
  ignorers: ['exhaustiveness'],
  coverageAnalysis: 'perTest',
  // A mutant of a constant needs its own process, which loads and runs all tests.
  ignoreStatic: true,
  thresholds: { high: 98, low: 96, break: 96 },
  concurrency: 2,
  incremental: true,
  incrementalFile: 'node_modules/.cache/stryker/incremental.json',
  tempDirName: 'node_modules/.cache/stryker/sandbox',
  reporters: ['clear-text', 'json'],
  clearTextReporter: { logTests: false, allowColor: false },
  jsonReporter: { fileName: 'node_modules/.cache/stryker/report.json' },
};
