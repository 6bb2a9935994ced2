import { expect } from 'chai';
import fc from 'fast-check';

import { createPartitionWindow } from '../../../../shared/log/window/partitionWindow.js';

describe('the partition window', () => {
  it('has no watermark before its first record', () => {
    expect(createPartitionWindow().watermark()).to.equal(null);
  });

  it('has the offset of the lowest unfinished record as its watermark', () => {
    const window = createPartitionWindow();
    for (const offset of [40, 41, 42, 43]) {
      window.begin(offset, 1, 0);
    }
    window.finish(40);
    window.finish(42);
    expect(window.watermark()).to.equal(41);
  });

  it('has the offset after the last record as its watermark once all are done', () => {
    const window = createPartitionWindow();
    window.begin(7, 1, 0);
    window.begin(9, 1, 0);
    window.finish(9);
    window.finish(7);
    expect(window.watermark()).to.equal(10);
  });

  it('admits a record once, whether it is in progress or done', () => {
    const window = createPartitionWindow();
    window.begin(1, 1, 0);
    window.begin(2, 1, 0);
    window.finish(1);
    expect([window.begin(1, 1, 0), window.begin(2, 1, 0), window.begin(3, 1, 0)]).to.deep.equal([
      false,
      false,
      true,
    ]);
  });

  it('counts unfinished records and their bytes', () => {
    const window = createPartitionWindow();
    window.begin(1, 10, 0);
    window.begin(2, 32, 0);
    window.finish(1);
    expect([window.unfinished, window.unfinishedBytes]).to.deep.equal([1, 32]);
  });

  it('has no taken-up offset before its first record', () => {
    expect(createPartitionWindow().takenUp()).to.equal(null);
  });

  it('has the lowest offset that is neither known nor done as its taken-up offset', () => {
    const window = createPartitionWindow();
    [40, 41, 42, 43].forEach((offset) => window.begin(offset, 1, offset * 10));
    window.know(40);
    window.finish(41);
    window.know(43);
    expect([window.watermark(), window.takenUp()]).to.deep.equal([40, { offset: 42, at: 410 }]);
  });

  it('has the offset after the last record as its taken-up offset once all are known or done', () => {
    const window = createPartitionWindow();
    [7, 9].forEach((offset) => window.begin(offset, 1, offset));
    window.know(7);
    window.finish(9);
    expect([window.watermark(), window.takenUp()]).to.deep.equal([7, { offset: 10, at: 9 }]);
  });

  it('never has a taken-up offset above an unknown record, or below its watermark', () => {
    const acts = fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), acts, (records, given) => {
        const window = createPartitionWindow();
        const unknown = new Set(Array.from({ length: records }, (_, offset) => offset));
        unknown.forEach((offset) => window.begin(offset, 1, 0));
        for (const [pick, isEnd] of given) {
          const offset = pick % records;
          window[isEnd ? 'finish' : 'know'](offset);
          unknown.delete(offset);
        }
        const takenUp = window.takenUp()?.offset ?? -1;
        expect(takenUp).to.equal(unknown.size === 0 ? records : Math.min(...unknown));
        expect(takenUp).to.be.at.least(window.watermark() ?? 0);
      }),
    );
  });

  it('never has a watermark above an unfinished record, or below a finished prefix', () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(gaps, fc.array(fc.nat(), { maxLength: 60, size: 'max' }), (steps, picks) => {
        const window = createPartitionWindow();
        let last = 0;
        const offsets = steps.map((step) => (last += step));
        offsets.forEach((offset) => window.begin(offset, 1, 0));
        const open = new Set(offsets);
        for (const pick of picks) {
          const offset = offsets[pick % offsets.length] ?? 0;
          window.finish(offset);
          open.delete(offset);
        }
        const expected = open.size === 0 ? last + 1 : Math.min(...open);
        expect(window.watermark()).to.equal(expected);
      }),
    );
  });
});
