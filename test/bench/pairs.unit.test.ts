import { expect } from 'chai';

import { measurePairs } from '../../bench/pairs.js';

/** Measures two members. The shares of other programs are those of the blocks in order; 0 if there are no more. */
async function measured(shares: readonly number[], count: number) {
  const steps: string[] = [];
  let next = 0;
  const blocks = await measurePairs(
    ['a', 'b'],
    { first: 5, count },
    {
      leadIn: (member) => Promise.resolve(steps.push(`lead-in ${member}`)),
      measureBlock: (member) => {
        steps.push(member);
        const othersShare = shares[next] ?? 0;
        next += 1;
        return Promise.resolve({ samples: [{ attempt: next }], othersShare });
      },
    },
  );
  return { steps, blocks };
}

describe('pairs of blocks', () => {
  it('have the order ABBA, and a lead-in where the member changes', async () => {
    const { steps, blocks } = await measured([], 2);
    expect(steps).to.deep.equal(['lead-in a', 'a', 'lead-in b', 'b', 'b', 'lead-in a', 'a']);
    expect(blocks.map(({ member, pair }) => `${member}${pair}`)).to.deep.equal(['a5', 'b5', 'b6', 'a6']);
  });

  it('repeat a noisy block up to two times, and keep the quietest attempt', async () => {
    const { blocks } = await measured([0.3, 0.1, 0.2], 4);
    expect(blocks[0]).to.deep.include({ samples: [{ attempt: 2 }], othersShare: 0.1, repeats: 2 });
    expect(blocks.slice(1).every(({ repeats }) => repeats === 0)).to.equal(true);
  });

  it('have together at most half as many repetitions as there are pairs', async () => {
    const { blocks } = await measured(Array<number>(12).fill(0.5), 4);
    expect(blocks.map(({ repeats }) => repeats)).to.deep.equal([2, 0, 0, 0, 0, 0, 0, 0]);
  });
});
