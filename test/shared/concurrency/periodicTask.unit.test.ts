import { expect } from 'chai';

import {
  createPeriodicTask,
  sleepUnlessAborted,
  type PeriodicTaskDependencies,
} from '../../../shared/concurrency/periodicTask.js';
import { eventually } from '../../support/eventually.js';

const hourMs = 60 * 60 * 1000;

/** A started task, with its warnings. */
function started(pass: PeriodicTaskDependencies['pass'], restMs = 1) {
  const warnings: unknown[][] = [];
  const logger = {
    warn: (...entry: unknown[]) => {
      warnings.push(entry);
    },
  };
  const { start, stop } = createPeriodicTask({ pass, restMs, warning: 'the pass has failed', logger });
  start();
  return { stop, warnings };
}

describe('createPeriodicTask', () => {
  it('runs its pass repeatedly', async () => {
    let passes = 0;
    const { stop } = started(() => {
      passes += 1;
      return Promise.resolve();
    });
    await eventually('three passes', () => (passes >= 3 ? true : null));
    await stop();
  });

  it('starts no pass while another one is in progress', async () => {
    let inProgress = 0;
    let passes = 0;
    const most: number[] = [];
    const { stop } = started(async (signal) => {
      inProgress += 1;
      most.push(inProgress);
      await sleepUnlessAborted(signal, 5);
      inProgress -= 1;
      passes += 1;
    });
    await eventually('three passes', () => (passes >= 3 ? true : null));
    await stop();
    expect(Math.max(...most)).to.equal(1);
  });

  it('continues after a failed pass, and logs the failure', async () => {
    let passes = 0;
    const { stop, warnings } = started(() => {
      passes += 1;
      return passes === 1 ? Promise.reject(new Error('unavailable')) : Promise.resolve();
    });
    await eventually('a second pass', () => (passes >= 2 ? true : null));
    await stop();
    expect(warnings).to.deep.equal([[{ error: 'unavailable' }, 'the pass has failed']]);
  });

  it('waits for its interval between two passes', async () => {
    let passes = 0;
    let others = 0;
    const rests = started(() => {
      passes += 1;
      return Promise.resolve();
    }, hourMs);
    const hurries = started(() => {
      others += 1;
      return Promise.resolve();
    });
    await eventually('ten passes of another', () => (others >= 10 ? true : null));
    await Promise.all([rests.stop(), hurries.stop()]);
    expect(passes).to.equal(1);
  });

  it('ends the wait between two passes when it is stopped', async () => {
    const { stop } = started(() => Promise.resolve(), hourMs);
    await stop();
  });

  it('aborts the pass in progress when it is stopped, and waits for its end', async () => {
    const seen: string[] = [];
    const { stop } = started(async (signal) => {
      seen.push('began');
      await sleepUnlessAborted(signal, hourMs);
      seen.push('ended');
    });
    await stop();
    expect(seen).to.deep.equal(['began', 'ended']);
  });

  it('can be stopped before it was started', async () => {
    const { stop } = createPeriodicTask({
      pass: () => Promise.reject(new Error('never called')),
      restMs: hourMs,
      warning: 'the pass has failed',
      logger: { warn: () => undefined },
    });
    await stop();
  });
});
