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

/** Room of which so many records, and bytes, are taken by other partitions. */
function roomWith(records: number, bytesOfEach = 1) {
  const room = createWindowLimits({
    ofPartition: { records: 100, bytes: 1000 },
    inAll: { records: 300, bytes: 3000 },
    least: { records: 10, bytes: 100 },
  });
  for (let record = 0; record < records; record += 1) {
    room.take(bytesOfEach);
  }
  return room;
}

describe('window room', () => {
  it('is used up by as many records as a partition may have', () => {
    const room = roomWith(0);

    expect([room.isFull(windowOf(99)), room.isFull(windowOf(100))]).to.deep.equal([false, true]);
  });

  it('is used up by as many bytes', () => {
    const room = roomWith(0);

    expect([room.isFull(windowOf(9, 100)), room.isFull(windowOf(10, 100))]).to.deep.equal([false, true]);
  });

  it('is the least once all partitions have what they may have together', () => {
    const room = roomWith(300);

    expect([room.isFull(windowOf(9)), room.isFull(windowOf(10))]).to.deep.equal([false, true]);
  });

  it('is the least once all have as many bytes as they may', () => {
    const room = roomWith(30, 100);

    expect([room.isFull(windowOf(9)), room.isFull(windowOf(10))]).to.deep.equal([false, true]);
  });

  it('comes back with what is given back', () => {
    const room = roomWith(300);
    room.give(1);

    expect(room.isFull(windowOf(10))).to.equal(false);
  });

  it('may be filled again from half of it on', () => {
    const room = roomWith(0);

    expect([room.isHalfEmpty(windowOf(50)), room.isHalfEmpty(windowOf(51))]).to.deep.equal([true, false]);
  });
});
