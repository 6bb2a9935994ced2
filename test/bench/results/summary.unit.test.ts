import { expect } from 'chai';

import { summarize } from '../../../bench/results/summary.js';
import { blockOf } from './reports.js';

const summaryOf = (...blocks: Parameters<typeof summarize>[0]) => summarize(blocks, 'accepted');

describe('the summary of a figure', () => {
  it('has the median of each pipeline, and the median of the ratios of the pairs', () => {
    const { reference, service, ratio } = summaryOf(
      ...[1000, 5000, 2000].map((value, index) => blockOf('bare', { pair: index + 1, value })),
      ...[2000, 500, 2400].map((value, index) => blockOf('service', { pair: index + 1, value })),
    );
    expect([reference, service, ratio].map((estimate) => estimate?.median)).to.deep.equal([2000, 2000, 1.2]);
  });

  it('has the ratio to an earlier version', () => {
    const { ratio } = summaryOf(blockOf('earlier', { value: 4 }), blockOf('service', { value: 3 }));
    expect(ratio?.median).to.equal(0.75);
  });

  it('compares the samples of a block by their place', () => {
    const samplesOf = (values: readonly number[]) => values.map((accepted) => ({ accepted }));
    const { ratio } = summaryOf(
      { ...blockOf('earlier', { value: 0 }), samples: samplesOf([1, 10, 100]) },
      { ...blockOf('service', { value: 0 }), samples: samplesOf([2, 20, 200]) },
    );
    expect(ratio).to.include({ median: 2, count: 3 });
  });

  it('ignores a block without its counterpart in the ratio', () => {
    const { ratio } = summaryOf(
      blockOf('bare', { value: 2 }),
      blockOf('service', { value: 3 }),
      blockOf('service', { value: 100, pair: 2 }),
    );
    expect(ratio).to.include({ median: 1.5, count: 1 });
  });

  it('has a wider interval if the starts differ than if the blocks of a start do', () => {
    const widthOf = (startOf: (pair: number) => number) => {
      const values = [1, 1, 1, 1, 1, 2, 2, 2, 2, 2];
      const { service } = summaryOf(
        ...values.map((value, index) =>
          blockOf('service', { value, pair: index + 1, start: startOf(index) }),
        ),
      );
      const { low, high } = service?.interval ?? { low: NaN, high: NaN };
      return high - low;
    };
    expect(widthOf((index) => Math.floor(index / 5))).to.equal(1);
    expect(widthOf((index) => index % 2)).to.be.at.most(1);
  });

  it('has no ratio if only the service was measured', () => {
    expect(summaryOf(blockOf('service', { value: 7 }))).to.deep.include({ reference: null, ratio: null });
  });

  it('has no ratio to nothing', () => {
    expect(summaryOf(blockOf('bare', { value: 0 }), blockOf('service', { value: 7 })).ratio).to.equal(null);
  });
});
