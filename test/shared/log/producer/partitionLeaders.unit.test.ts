import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createPartitionLeaders } from '../../../../shared/log/producer/partitionLeaders.js';

/** The leaders by brokers that name broker 7 as the leader of partition 0, or that are unavailable. */
function leadersOf({ areUnavailable = false } = {}) {
  const asked: string[] = [];
  const leaders = createPartitionLeaders((topic) => {
    asked.push(topic);
    return areUnavailable
      ? Promise.reject(new Error('the brokers are unavailable'))
      : Promise.resolve(new Map([[0, 7]]));
  });
  return { leaders, asked };
}

describe('the leaders of partitions', () => {
  it('are unknown at first, without a wait for the brokers', () => {
    expect(leadersOf().leaders.of('events', 0)).to.equal(null);
  });

  it('are known once the brokers have answered', async () => {
    const { leaders } = leadersOf();
    leaders.of('events', 0);
    await endOfTurn();
    expect([leaders.of('events', 0), leaders.of('events', 1)]).to.deep.equal([7, null]);
  });

  it('are requested once for all concurrent callers', () => {
    const { leaders, asked } = leadersOf();
    leaders.of('events', 0);
    leaders.of('events', 1);
    expect(asked).to.deep.equal(['events']);
  });

  it('are unknown after they were forgotten', async () => {
    const { leaders } = leadersOf();
    leaders.of('events', 0);
    await endOfTurn();
    leaders.forget('events');
    expect(leaders.of('events', 0)).to.equal(null);
  });

  it('stay unknown while the brokers are unavailable', async () => {
    const { leaders } = leadersOf({ areUnavailable: true });
    leaders.of('events', 0);
    await endOfTurn();
    expect(leaders.of('events', 0)).to.equal(null);
  });
});
