import { type MochaOptions, reporters, type Runner } from 'mocha';

/**
 * Mocha's report for people, and beside it mocha's JSON report in the file that the reporter option `output` names:
 * mocha itself takes only one reporter.
 */
export default function createReporter(runner: Runner, options: MochaOptions): reporters.Base {
  new reporters.JSON(runner, options);
  return new reporters.Spec(runner, options);
}
