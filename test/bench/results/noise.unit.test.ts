import { expect } from 'chai';

import { noiseOf, noiseText } from '../../../bench/results/noise.js';
import { resultOf } from './reports.js';

describe('the noise of other programs', () => {
  it('is unknown without results', () => {
    expect(noiseOf([])).to.equal(null);
  });

  it('counts pairs, starts, repeated blocks and blocks that stayed noisy', () => {
    const noise = noiseOf([
      { ...resultOf('service', { value: 1 }), othersShare: 0.01, repeats: 2 },
      { ...resultOf('bare', { value: 1 }), othersShare: 0.0723, repeats: 1 },
      resultOf('service', { value: 1, pair: 2, start: 2 }),
      resultOf('bare', { value: 1, pair: 2, start: 2 }),
    ]);
    expect(noise).to.deep.equal({ pairs: 2, starts: 2, largestShare: 0.0723, repeats: 3, noisyBlocks: 1 });
    expect(noise === null ? '' : noiseText(noise)).to.equal(
      '2 pairs of blocks, 2 starts. Other programs took at most 7.2 % of the CPU time in a block. ' +
        '3 blocks were repeated. Blocks with more than 5 %: 1.',
    );
  });

  it('is one sentence less if all blocks are quiet', () => {
    const noise = noiseOf([resultOf('service', { value: 1 })]);
    expect(noise === null ? '' : noiseText(noise)).to.equal(
      '1 pair of blocks, 1 start. Other programs took at most 0 % of the CPU time in a block. 0 blocks were repeated.',
    );
  });
});
