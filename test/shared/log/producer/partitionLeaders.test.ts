import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createPartitionLeaders } from '../../../../shared/log/producer/partitionLeaders.js';

/** Brokers that say that broker 7 leads partition 0, or do not answer. */
function leadersOf({ areAway = false } = {}) {
  const asked: string[] = [];
  const leaders = createPartitionLeaders((topic) => {
    asked.push(topic);
    return areAway ? Promise.reject(new Error('the brokers are away')) : Promise.resolve(new Map([[0, 7]]));
  });
  return { leaders, asked };
}

describe('leaders of partitions', () => {
  it('are not known at first, and nobody waits for them', () => {
    expect(leadersOf().leaders.of('events', 0)).to.equal(null);
  });

  it('are known once the brokers have answered', async () => {
    const { leaders } = leadersOf();
    leaders.of('events', 0);
    await endOfTurn();
    expect([leaders.of('events', 0), leaders.of('events', 1)]).to.deep.equal([7, null]);
  });

  it('are asked for once, however many want to know', () => {
    const { leaders, asked } = leadersOf();
    leaders.of('events', 0);
    leaders.of('events', 1);
    expect(asked).to.deep.equal(['events']);
  });

  it('are not known any more where they were forgotten', async () => {
    const { leaders } = leadersOf();
    leaders.of('events', 0);
    await endOfTurn();
    leaders.forget('events');
    expect(leaders.of('events', 0)).to.equal(null);
  });

  it('stay unknown while the brokers are away', async () => {
    const { leaders } = leadersOf({ areAway: true });
    leaders.of('events', 0);
    await endOfTurn();
    expect(leaders.of('events', 0)).to.equal(null);
  });
});
