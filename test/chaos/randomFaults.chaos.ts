import { randomInt } from 'node:crypto';

import { expect } from 'chai';
import { z } from 'zod';

import { createOpened } from '../support/opened.js';
import { runFaults, type FaultRunResult } from '../support/faults/faultRun.js';

/** The options of the run. `CHAOS_MINUTES=2 npx mocha test/chaos/randomFaults.chaos.ts` starts a short run. */
const options = z
  .object({
    CHAOS_MINUTES: z.coerce.number().positive().default(20),
    CHAOS_SEED: z.coerce
      .number()
      .int()
      .default(() => randomInt(1, 1_000_000)),
    CHAOS_EVENTS_PER_SECOND: z.coerce.number().positive().default(300),
  })
  .parse(process.env);

const lengthMs = options.CHAOS_MINUTES * 60_000;
const afterwardsMs = 50 * 60_000;
const examplesShown = 10;

describe(`random faults for ${options.CHAOS_MINUTES} minutes`, function () {
  this.timeout(3 * lengthMs + afterwardsMs);

  const opened = createOpened();
  let result: FaultRunResult;

  before(async () => {
    print(`seed ${options.CHAOS_SEED}: CHAOS_SEED repeats these faults`);
    result = await runFaults(opened, {
      seed: options.CHAOS_SEED,
      lengthMs,
      eventsPerSecond: options.CHAOS_EVENTS_PER_SECOND,
      report: print,
    });
    printResult(result);
  });

  after(() => opened.releaseAll());

  it('injects each kind of fault', () => {
    expect(new Set(result.faults.map(({ kind }) => kind))).to.deep.equal(
      new Set(['kill', 'pause', 'broker', 'mongodb']),
    );
  });

  it('ends each delivery of each accepted event', () => {
    expect(result.lost).to.deep.equal([]);
  });

  it('shows exactly the deliveries as delivered that the receiver has answered with a 2xx', () => {
    expect(result.wrong).to.deep.equal([]);
  });
});

function print(line: string): void {
  process.stdout.write(`    ${line}\n`);
}

function printResult(result: FaultRunResult): void {
  const { accepted, seconds, secondsToEnd, stillEnding, lost, wrong, attempts, repeats, ownEnds } = result;
  const statuses = [...result.byStatus].map(([status, count]) => `${count} ${status}`).join(', ');
  const rejected = [...result.refused].map(([status, count]) => `${count} with ${status}`).join(', ');
  print(
    `random faults, seed ${options.CHAOS_SEED}: ${result.faults.length} faults, ${accepted} events accepted (${(accepted / seconds).toFixed(0)} a second), ` +
      `${lost.length} lost (${result.lostButReceived} of them received), ${wrong.length} with a wrong status`,
  );
  print(`one webhook was disabled, enabled, deleted and created again ${result.toggles} times`);
  print(`deliveries: ${statuses}; ${attempts} attempts, ${repeats} requests repeated`);
  print(`not accepted: ${rejected === '' ? 'none' : rejected} (0: no answer); ${result.skipped} not posted`);
  const bound = stillEnding ? '; deliveries were still ending at the bound' : '';
  print(`all deliveries that end had ended ${secondsToEnd.toFixed(0)} s after the load${bound}`);
  print(
    `processes that ended without a kill: ${ownEnds.delivery} delivery, ${ownEnds.projections} projections, ${ownEnds.api} API`,
  );
  [...lost, ...wrong].slice(0, examplesShown).forEach((one) => print(`  ${one}`));
}
