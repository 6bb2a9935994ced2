import { expect } from 'chai';

import {
  attemptsOfSchedule,
  runCrashes,
  type CrashPlan,
  type CrashResult,
  type PairEnd,
} from './crashRun.js';

export interface CrashTest extends CrashPlan {
  readonly title: string;
  readonly timeoutMs: number;
  /** Told what came of it. */
  readonly report?: (result: CrashResult) => void;
}

/** What must hold of every run, whatever is killed and when. */
export function testCrashes({ title, timeoutMs, report, ...plan }: CrashTest): void {
  describe(title, function () {
    this.timeout(timeoutMs);

    let result: CrashResult;

    before(async () => {
      result = await runCrashes(plan);
      report?.(result);
    });

    const pairsWhere = (isWrong: (pair: PairEnd) => boolean) =>
      result.pairs.filter(isWrong).map(({ pair, delivery, codes }) => [pair, delivery?.status, codes]);

    it('hits attempts in flight', () => {
      expect(result.kills.filter(({ open }) => open > 0).length).to.equal(plan.kills.length);
    });

    it('goes on with new events while all projections are away', () => {
      expect(result.deliveredWithoutProjections).to.be.at.least(1);
    });

    it('ends every accepted event in exactly one status for each webhook', () => {
      expect(new Set(result.pairs.map(({ pair }) => pair)).size).to.equal(result.accepted * 3);
      expect(result.pairs).to.have.lengthOf(result.accepted * 3);
    });

    it('shows as delivered what the receiver has answered with a 2xx, and nothing else', () => {
      const wrong = pairsWhere(
        ({ delivery, codes }) => (delivery?.status === 'delivered') !== codes.includes(204),
      );
      expect(wrong).to.deep.equal([]);
    });

    it('gives up only what was attempted as often as the schedule says', () => {
      const wrong = pairsWhere(
        ({ delivery, codes }) =>
          delivery?.status === 'failed' &&
          (delivery.attemptCount !== attemptsOfSchedule || codes.length < attemptsOfSchedule),
      );
      expect(wrong).to.deep.equal([]);
    });

    it('ends nothing otherwise', () => {
      expect(new Set(result.pairs.map(({ delivery }) => delivery?.status))).to.deep.equal(
        new Set(['delivered', 'failed']),
      );
    });

    it('repeats at most what was in hand when partitions changed hands', () => {
      // Each kill has them handed over twice: when the broker misses the process, and when another one joins.
      expect(result.repeats).to.be.within(0, 2 * plan.kills.length * result.mostInHand);
    });
  });
}
