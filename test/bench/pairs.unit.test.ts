import { expect } from 'chai';

import { measurePairs, type MeasuredBlock } from '../../bench/pairs.js';

const blockWith = (othersShare: number): MeasuredBlock => ({
  figures: [],
  series: [],
  flameGraph: [],
  othersShare,
});

/** Measures with the shares of other programs in the order of the blocks; without noise after the last one. */
async function measureWith(shares: readonly number[], count: number, first = 1) {
  const order: string[] = [];
  const calls: string[] = [];
  const blocks = await measurePairs(
    ['A', 'B'],
    { first, count },
    {
      leadIn: (member) => {
        calls.push(member.toLowerCase());
        return Promise.resolve();
      },
      measureBlock: (member) => {
        order.push(member);
        calls.push(member);
        return Promise.resolve(blockWith(shares[order.length - 1] ?? 0));
      },
    },
  );
  return { order: order.join(''), calls: calls.join(''), blocks };
}

describe('pairs of blocks', () => {
  it('have the order ABBA', async () => {
    const { order, blocks } = await measureWith([], 4);
    expect(order).to.equal('ABBAABBA');
    expect(blocks.map(({ pair }) => pair)).to.deep.equal([1, 1, 2, 2, 3, 3, 4, 4]);
  });

  it('have a lead-in only after a block of the other pipeline', async () => {
    const { calls } = await measureWith([], 3);
    expect(calls).to.equal('aAbBBaAAbB');
  });

  it('have no further lead-in if a block is repeated', async () => {
    const { calls } = await measureWith([0.2], 1);
    expect(calls).to.equal('aAAbB');
  });

  it('continue the numbers of an earlier start', async () => {
    const { order, blocks } = await measureWith([], 2, 6);
    expect(order).to.equal('ABBA');
    expect(blocks.map(({ pair }) => pair)).to.deep.equal([6, 6, 7, 7]);
  });

  it('repeat a noisy block immediately', async () => {
    const { order, blocks } = await measureWith([0.01, 0.2, 0.02], 2);
    expect(order).to.equal('ABBBA');
    expect(blocks.map(({ repeats, othersShare }) => [repeats, othersShare])).to.deep.equal([
      [0, 0.01],
      [1, 0.02],
      [0, 0],
      [0, 0],
    ]);
  });

  it('take the quietest attempt if all attempts are noisy', async () => {
    const { order, blocks } = await measureWith([0.3, 0.1, 0.2], 3);
    expect(order).to.equal('AAABBAAB');
    expect(blocks[0]).to.include({ repeats: 2, othersShare: 0.1 });
  });

  it('are repeated no more often than there are pairs', async () => {
    const { order } = await measureWith(Array<number>(100).fill(0.5), 4);
    expect(order).to.have.length(8 + 4);
  });

  it('are blocks of one pipeline if there is no other', async () => {
    const leadIn = () => Promise.resolve();
    const measureBlock = () => Promise.resolve(blockWith(0));
    const blocks = await measurePairs(['A'], { first: 1, count: 3 }, { leadIn, measureBlock });
    expect(blocks.map(({ member, pair }) => `${member}${pair}`)).to.deep.equal(['A1', 'A2', 'A3']);
  });
});
