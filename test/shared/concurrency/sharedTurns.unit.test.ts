import { expect } from 'chai';

import { createSharedTurns, runAtOnce, type Steps } from '../../../shared/concurrency/sharedTurns.js';

function* steps(count: number, done: (step: number) => void = () => undefined): Steps<number> {
  for (let step = 0; step < count; step += 1) {
    done(step);
    yield;
  }
  return count;
}

describe('the shared turns of the event loop', () => {
  it('end a short computation without a pause', () => {
    expect(createSharedTurns(1000).run(steps(10))).to.equal(10);
  });

  it('let other work continue between the slices of a long computation', async () => {
    let turns = 0;
    let isRunning = true;
    const count = () => {
      turns += 1;
      if (isRunning) {
        setImmediate(count);
      }
    };
    count();
    expect(await createSharedTurns(0).run(steps(50))).to.equal(50);
    isRunning = false;
    expect(turns).to.be.greaterThan(40);
  });

  it('give the computations their slices in rotation', async () => {
    const turns = createSharedTurns(0);
    const order: string[] = [];
    const run = async (name: string) => turns.run(steps(4, () => order.push(name)));
    await Promise.all([run('a'), run('b')]);
    expect(order.join('')).to.equal('abababab');
  });

  it('run a computation at once without pauses', () => {
    expect(runAtOnce(steps(3))).to.equal(3);
  });
});
