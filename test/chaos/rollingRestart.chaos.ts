import { expect } from 'chai';

import { runRollingRestarts, type RollingResult } from '../support/crashes/rollingRun.js';

/** The limits for a service while its delivery processes are restarted. */
const bounds = { lost: 0, repeatedShare: 0.01, p99Ms: 5000 };

function print(title: string, { phases, lost, longestStopMs }: RollingResult): void {
  for (const { name, events, repeated, p50Ms, p99Ms, mostMs } of phases) {
    const share = ((100 * repeated) / Math.max(1, events)).toFixed(2);
    process.stdout.write(
      `    ${title}, ${name}: ${events} events, ${repeated} repeated (${share} %), ` +
        `p50 ${p50Ms} ms, p99 ${p99Ms} ms, longest ${mostMs} ms\n`,
    );
  }
  process.stdout.write(`    ${title}: ${lost} lost, longest stop ${longestStopMs} ms\n`);
}

for (const { title, hangingPerSecond } of [
  { title: 'three delivery processes that are restarted one after the other', hangingPerSecond: 0 },
  {
    title: 'three delivery processes that are restarted one after the other, next to a webhook that hangs',
    hangingPerSecond: 5,
  },
]) {
  describe(title, function () {
    this.timeout(600_000);

    let result: RollingResult;

    before(async () => {
      result = await runRollingRestarts({ eventsPerSecond: 300, answerMs: 300, rounds: 2, hangingPerSecond });
      print(title, result);
    });

    it('lose no event', () => {
      expect(result.lost).to.equal(bounds.lost);
    });

    it('repeat at most one delivery in a hundred', () => {
      const shares = result.phases.map(({ repeated, events }) => repeated / events);
      expect(Math.max(...shares)).to.be.at.most(bounds.repeatedShare);
    });

    it('deliver 99 of 100 events within five seconds', () => {
      expect(Math.max(...result.phases.map(({ p99Ms }) => p99Ms))).to.be.at.most(bounds.p99Ms);
    });
  });
}
