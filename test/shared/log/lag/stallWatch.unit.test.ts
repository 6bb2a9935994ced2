import { expect } from 'chai';

import { createStallWatch, type PartitionPosition } from '../../../../shared/log/lag/groupReport.js';

function position(offset: number, lag: number, partition = 0): PartitionPosition {
  return { topic: 'events', partition, offset, lag };
}

describe('the stall watch', () => {
  /** The result of each look, a minute after the previous one. */
  const looks = (...positions: readonly (readonly PartitionPosition[])[]) => {
    let now = 0;
    const stalls = createStallWatch(() => now);
    return positions.map((given) => {
      now += 60_000;
      return stalls.look(given) / 60_000;
    });
  };

  it('measures how long a partition with unfinished records stays at one offset', () => {
    expect(looks([position(5, 1)], [position(5, 1)], [position(5, 9)])).to.deep.equal([0, 1, 2]);
  });

  it('restarts with each progress', () => {
    expect(looks([position(5, 9)], [position(5, 9)], [position(6, 8)], [position(6, 8)])).to.deep.equal([
      0, 1, 0, 1,
    ]);
  });

  it('finds no stall in a partition without unfinished records', () => {
    expect(looks([position(5, 0)], [position(5, 0)], [position(5, 1)], [position(5, 1)])).to.deep.equal([
      0, 0, 0, 1,
    ]);
  });

  it('returns the time of the partition that has stalled longest', () => {
    const [first, second] = [position(5, 1), position(5, 1, 1)];
    expect(looks([first], [first, second], [first, second], [second])).to.deep.equal([0, 1, 2, 2]);
  });

  it('restarts for a partition that was not assigned meanwhile', () => {
    expect(looks([position(5, 1)], [], [position(5, 1)], [])).to.deep.equal([0, 0, 0, 0]);
  });
});
