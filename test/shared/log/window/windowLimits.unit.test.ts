import { expect } from 'chai';

import { createPartitionWindow } from '../../../../shared/log/window/partitionWindow.js';
import { createWindowLimits } from '../../../../shared/log/window/windowLimits.js';

function windowOf(records: number, bytes = 1) {
  const window = createPartitionWindow();
  for (let offset = 0; offset < records; offset += 1) {
    window.begin(offset, bytes, 0);
  }
  return window;
}

/** The limits of a process whose other partitions have this many records. */
function limitsWith(records: number, bytesOfEach = 1) {
  const limits = createWindowLimits({
    ofPartition: { records: 100, bytes: 1000 },
    inAll: { records: 300, bytes: 3000 },
    least: { records: 10, bytes: 100 },
  });
  for (let record = 0; record < records; record += 1) {
    limits.take(bytesOfEach);
  }
  return limits;
}

describe('the window limits', () => {
  it('are reached by the maximum number of records of a partition', () => {
    const limits = limitsWith(0);

    expect([limits.isFull(windowOf(99)), limits.isFull(windowOf(100))]).to.deep.equal([false, true]);
  });

  it('are reached by the maximum number of bytes of a partition', () => {
    const limits = limitsWith(0);

    expect([limits.isFull(windowOf(9, 100)), limits.isFull(windowOf(10, 100))]).to.deep.equal([false, true]);
  });

  it('are the minimum of a partition once all partitions have the maximum number of records', () => {
    const limits = limitsWith(300);

    expect([limits.isFull(windowOf(9)), limits.isFull(windowOf(10))]).to.deep.equal([false, true]);
  });

  it('are the minimum of a partition once all partitions have the maximum number of bytes', () => {
    const limits = limitsWith(30, 100);

    expect([limits.isFull(windowOf(9)), limits.isFull(windowOf(10))]).to.deep.equal([false, true]);
  });

  it('are no longer reached when records are done', () => {
    const limits = limitsWith(300);
    limits.give(1);

    expect(limits.isFull(windowOf(10))).to.equal(false);
  });

  it('let a full window be filled again once half of it is empty', () => {
    const limits = limitsWith(0);

    expect([limits.isHalfEmpty(windowOf(50)), limits.isHalfEmpty(windowOf(51))]).to.deep.equal([true, false]);
  });
});
