import { existsSync, readdirSync } from 'node:fs';

import './test/stryker/mutantProcess.js';

/** The folders of code that decides or folds. */
const folders = ['shared/domain', 'consumers', 'projections'];

/** Tests that need no server. The test of a module has the same name in `test/`. */
const tests = folders.flatMap((folder) =>
  readdirSync(`test/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.unit.test.ts'))
    .map((name) => `test/${folder}/${name}`),
);

const modules = tests
  .map((test) => test.replace(/^test\//, '').replace(/\.unit\.test\.ts$/, '.ts'))
  .filter((module) => existsSync(module));

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: modules,
  testRunner: 'mocha',
  testRunnerNodeArgs: ['--import', 'tsx', '--import', './test/stryker/mutantProcess.js'],
  mochaOptions: {
    'no-config': true,
    spec: tests,
  },
  plugins: ['@stryker-mutator/mocha-runner', './test/stryker/exhaustiveness.js'],
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
