import { relative } from 'node:path';

import { type Hook, type MochaOptions, reporters, Runner, type Test } from 'mocha';

const { EVENT_HOOK_END, EVENT_TEST_END, EVENT_RUN_END } = Runner.constants;
const filesShown = 10;

/**
 * Mocha's report for people, and mocha's JSON report in the file of the reporter option `output`, because mocha accepts only one
 * reporter. At the end it lists the slowest files, including their hooks.
 */
export default function createReporter(runner: Runner, options: MochaOptions): reporters.Base {
  new reporters.JSON(runner, options);
  const report = new reporters.Spec(runner, options);
  const spent = new Map<string, number>();
  const add = ({ file = '', duration = 0 }: Test | Hook) => {
    spent.set(file, (spent.get(file) ?? 0) + duration);
  };
  runner.on(EVENT_TEST_END, add).on(EVENT_HOOK_END, add);
  runner.once(EVENT_RUN_END, () => {
    const slowest = [...spent].sort(([, one], [, other]) => other - one).slice(0, filesShown);
    reporters.Base.consoleLog('  Slowest files:');
    for (const [file, milliseconds] of slowest) {
      reporters.Base.consoleLog(
        '  %s s %s',
        (milliseconds / 1000).toFixed(1).padStart(6),
        relative('.', file),
      );
    }
  });
  return report;
}
