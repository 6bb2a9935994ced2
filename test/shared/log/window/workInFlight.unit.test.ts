import { expect } from 'chai';

import { createWorkInFlight } from '../../../../shared/log/window/workInFlight.js';
import { eventually } from '../../../support/eventually.js';

const never = new AbortController().signal;
const endless = () => new Promise<never>(() => undefined);

describe('the work in flight of a group', () => {
  it('starts no work between a hold and its release', async () => {
    const { run, hold, release } = createWorkInFlight();
    const started: string[] = [];
    hold();
    const running = run(never, () => Promise.resolve(started.push('work')));
    await Promise.resolve();
    const whileHeld = [...started];
    release();
    await running;
    expect([whileHeld, started]).to.deep.equal([[], ['work']]);
  });

  it('does not start waiting work of a partition that was lost', async () => {
    const { run, hold, release } = createWorkInFlight();
    const lost = new AbortController();
    hold();
    const running = run(lost.signal, () => Promise.resolve('done'));
    lost.abort();
    release();
    expect(await running).to.equal(null);
  });

  it('is awaited until it has ended', async () => {
    const { run, ended } = createWorkInFlight();
    const order: string[] = [];
    let finish: () => void = () => undefined;
    const running = run(never, () => new Promise<void>((resolve) => (finish = resolve))).then(() =>
      order.push('work'),
    );
    const waiting = ended(60_000).then(() => order.push('wait'));
    finish();
    await Promise.all([running, waiting]);
    expect(order).to.deep.equal(['work', 'wait']);
  });

  it('is not awaited if it has run for longer than the limit', async () => {
    let now = 0;
    const { run, ended, count } = createWorkInFlight(() => now);
    void run(never, endless);
    now = 1500;
    await ended(1500);
    expect(count()).to.equal(1);
  });

  it('is awaited until it has run for the limit', async () => {
    let now = 0;
    const { run, ended } = createWorkInFlight(() => now);
    void run(never, endless);
    let hasEnded = false;
    void ended(1500).then(() => (hasEnded = true));
    now = 1499;
    const before = hasEnded;
    now = 1500;
    await eventually('the end of the wait', () => (hasEnded ? true : null));
    expect(before).to.equal(false);
  });

  it('passes its error to the caller, and is no longer counted', async () => {
    const { run, count } = createWorkInFlight();
    const failure: unknown = await run(never, () => Promise.reject(new Error('failed'))).catch(
      (error: unknown) => error,
    );
    expect([String(failure), count()]).to.deep.equal(['Error: failed', 0]);
  });
});
