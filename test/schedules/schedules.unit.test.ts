import { expect } from 'chai';

import { findBrokenPromise } from './check.js';

/**
 * A property test over schedules. It drives the modules that deliver events (the folds of the read models, the windows of the
 * consumers, the registries, the retries) through random schedules. In this test alone, models of their contracts replace Kafka,
 * MongoDB, the receivers and the clock. So each step happens when the schedule picks it, and a seed repeats a schedule.
 *
 * - `schedule.ts`: what happens in a schedule, and how it ends: all faults end, and time passes until all is done.
 * - `promises.ts`: what must be true after each step, and at the end.
 * - `world.ts`, `deliveryProcess.ts`: the processes, wired as the role wires them, and the servers.
 * - `steps.ts`, `virtualTime.ts`: everything asynchronous is a step, timers included.
 * - `simulated*.ts`, `receivers.ts`: the log, producers, consumer groups, read models and receivers.
 * - `brokenParts.ts`: parts with one fault each. `npm run test:scenarios` checks that the promises notice them.
 *
 * A failure shows the broken promise, the shortest schedule that breaks it, its seed and path, and its history. `npm run chaos` runs
 * hundreds of times as many schedules with another seed each time.
 */
describe('deliveries in any schedule', () => {
  it('lose no event, repeat no delivery without a fault, and attempt nothing after the end of a webhook', async () => {
    const finding = await findBrokenPromise({ runs: 500, seed: 1, isShortened: true });
    expect(finding, finding?.text).to.equal(null);
  });
});
