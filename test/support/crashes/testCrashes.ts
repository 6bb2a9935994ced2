import { expect } from 'chai';

import { runCrashes, type CrashPlan, type CrashResult } from './crashRun.js';
import { testEnds } from './testEnds.js';

export interface CrashTest extends CrashPlan {
  readonly title: string;
  readonly timeoutMs: number;
  /** Called with the result of the run. */
  readonly report?: (result: CrashResult) => void;
}

/** The tests of a run with crashes, whatever is killed and when. */
export function testCrashes({ title, timeoutMs, report, ...plan }: CrashTest): void {
  describe(title, function () {
    this.timeout(timeoutMs);

    let result: CrashResult;

    before(async () => {
      result = await runCrashes(plan);
      report?.(result);
    });

    it('hits attempts in flight', () => {
      expect(result.kills.filter(({ open }) => open > 0).length).to.equal(plan.kills.length);
    });

    it('attempts new events while all projections are stopped', () => {
      expect(result.deliveredWithoutProjections).to.be.at.least(1);
    });

    testEnds(() => result);

    it('repeats at most the attempts in flight at rebalances', () => {
      // Each kill causes two rebalances: when the broker misses the process, and when another one joins.
      expect(result.repeats).to.be.within(0, 2 * plan.kills.length * result.mostInFlight);
    });
  });
}
