import { expect } from 'chai';
import type { EachBatchPayload } from 'kafkajs';

import { createBatchReader } from '../../../../shared/log/group/batchReader.js';
import { createReadPositions } from '../../../../shared/log/group/readPositions.js';

const topic = 'test.events';
const partition = { topic: 'events', partition: 0 } as const;

/** A fetched batch of one record, which is stale once `isStale` says so. */
function payloadAt(offset: number, isStale: () => boolean): EachBatchPayload {
  const nothing = () => Promise.resolve();
  return {
    batch: {
      topic,
      partition: partition.partition,
      highWatermark: String(offset + 1),
      messages: [
        {
          key: null,
          value: Buffer.from('{}'),
          timestamp: '0',
          attributes: 0,
          offset: String(offset),
          headers: {},
        },
      ],
      isEmpty: () => false,
      firstOffset: () => String(offset),
      lastOffset: () => String(offset),
      offsetLag: () => '0',
      offsetLagLow: () => '0',
    },
    resolveOffset: () => undefined,
    heartbeat: nothing,
    pause: () => () => undefined,
    commitOffsetsIfNecessary: nothing,
    uncommittedOffsets: () => ({ topics: [] }),
    isRunning: () => true,
    isStale,
  };
}

/** A reader that rejoined the group after it had committed the offset 150, and that read `offset` during a seek to 120. */
async function readDuringSeek(offset: number) {
  const positions = createReadPositions();
  positions.commit({ ...partition, offset: 150 });
  positions.join();
  const taken: number[] = [];
  const losses: Error[] = [];
  let isStale = false;
  const seek = () => {
    positions.seek({ ...partition, offset: 120 });
    isStale = true;
  };
  const reader = createBatchReader({
    topics: new Map([[topic, 'events']]),
    positions,
    logTruncation: { reportSince: () => Promise.resolve() },
    take: (_, { begin, end }) => {
      taken.push(begin);
      return Promise.resolve(end);
    },
    rewind: positions.seek,
    isCommitted: () => {
      seek();
      return Promise.resolve(true);
    },
    lose: (error) => losses.push(error),
  });
  const reading = reader.read(payloadAt(offset, () => isStale));
  queueMicrotask(seek);
  await reading;
  const whileStale = [...taken];
  isStale = false;
  await reader.read(payloadAt(120, () => isStale));
  return { whileStale, taken, losses };
}

describe('createBatchReader', () => {
  for (const [name, offset] of [
    ['below the offset that this member committed', 140],
    ['at the offset that this member committed', 150],
  ] as const) {
    it(`takes no batch ${name} if a seek follows its fetch, and continues at the offset of the seek`, async () => {
      expect(await readDuringSeek(offset)).to.deep.equal({ whileStale: [], taken: [120], losses: [] });
    });
  }
});
