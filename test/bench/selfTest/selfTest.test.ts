import { expect } from 'chai';

import { outcomeText, type Outcome } from '../../../bench/selfTest/outcome.js';
import { runSelfTest } from '../../../bench/selfTest/selfTest.js';
import type { Report } from '../../../bench/results/result.js';
import { servicePipeline } from '../../../bench/pipelines/pipelines.js';
import { reportOf, resultOf } from '../results/reports.js';

const name = 'CPU an event, all together';

/** A report in which the service needs 1 ms for an event, and the other instance needs so many times as much. */
function reportWith(factors: readonly number[]): Report {
  const cost = (pipeline: 'service' | 'earlier', value: number, index: number) => ({
    ...resultOf(pipeline, { value, pair: index + 1 }),
    figures: [{ name, unit: 'ms' as const, value }],
  });
  return reportOf(
    factors.flatMap((factor, index) => [cost('service', 1, index), cost('earlier', factor, index)]),
  );
}

const noisy = (middle: number, noise: number) =>
  [-3, -2, -1, -1, 0, 0, 1, 1, 2, 3].map((step) => middle + (step / 3) * noise);

async function outcomesOf(same: readonly number[], slower: readonly number[]) {
  const calls: string[] = [];
  const outcomes: Outcome[] = [];
  const passed = await runSelfTest({
    times: 2,
    serviceWith: (options) => {
      calls.push(options.join(' ').replace(/file:.*\//, ''));
      return servicePipeline;
    },
    compareWith: () => Promise.resolve(reportWith(calls.at(-1) === '' ? same : slower)),
    startBursts: () => {
      calls.push('bursts');
      return Promise.resolve({
        stop: () => {
          calls.push('quiet');
          return Promise.resolve();
        },
      });
    },
    onOutcome: (outcome) => void outcomes.push(outcome),
  });
  return { calls, passed, verdicts: outcomes.map((outcome) => outcome.passed), outcomes };
}

describe('the self-test of the benchmark', () => {
  it('compares the same code next to bursts, and then without bursts a code that is 3 % slower', async () => {
    const { calls } = await outcomesOf(noisy(1, 0.02), noisy(1.03, 0.02));
    expect(calls).to.deep.equal(['bursts', '', '', 'quiet', '--import slowDownMain.js?microseconds=30.0']);
  });

  it('passes if the same code is not found to differ, and the slower code is', async () => {
    const { passed, verdicts } = await outcomesOf(noisy(1, 0.02), noisy(1.03, 0.02));
    expect({ passed, verdicts }).to.deep.equal({ passed: true, verdicts: [true, true, true] });
  });

  it('fails if the same code is found to differ', async () => {
    const { passed, verdicts } = await outcomesOf(noisy(1.04, 0.02), noisy(1.03, 0.02));
    expect({ passed, verdicts }).to.deep.equal({ passed: false, verdicts: [false, false, true] });
  });

  it('fails if an interval is too wide', async () => {
    const { passed } = await outcomesOf(noisy(1, 0.3), noisy(1.03, 0.02));
    expect(passed).to.equal(false);
  });

  it('fails if the slower code is not found', async () => {
    const { verdicts } = await outcomesOf(noisy(1, 0.02), noisy(1.03, 0.09));
    expect(verdicts).to.deep.equal([true, true, false]);
  });

  it('reports each comparison in one line', async () => {
    const { outcomes } = await outcomesOf(Array<number>(8).fill(1), noisy(1.03, 0.02));
    expect(outcomes.slice(0, 1).map(outcomeText)).to.deep.equal([
      'passed: same code, 1 of 2. CPU time of an event × 1.000 (1.000 – 1.000). 8 pairs of blocks, 1 start. ' +
        'Other programs took at most 0 % of the CPU time in a block. 0 blocks were repeated.',
    ]);
  });
});
