import { expect } from 'chai';
import fc from 'fast-check';
import { Partitioners } from 'kafkajs';

import { partitionOf } from '../../../../shared/log/topics/partition.js';

/** From Apache Kafka's own test of `Utils.murmur2` (UtilsTest.testMurmur2). */
const hashes: Record<string, number> = {
  '21': -973932308,
  foobar: -790332482,
  'a-little-bit-long-string': -985981536,
  'a-little-bit-longer-string': -1486304829,
  lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8: -58897971,
  abc: 479470107,
};

/** A prime number of partitions that distinguishes all hashes, and the two ways to make a negative hash positive. */
const manyPartitions = 2 ** 31 - 1;

const kafkajsPartition = (key: string, partitions: number) =>
  Partitioners.DefaultPartitioner()({
    topic: 'events',
    message: { key, value: null },
    partitionMetadata: Array.from({ length: partitions }, (_, partitionId) => ({
      partitionErrorCode: 0,
      partitionId,
      leader: 0,
      replicas: [0],
      isr: [0],
    })),
  });

describe('partitionOf', () => {
  for (const [key, hash] of Object.entries(hashes)) {
    it(`hashes "${key}" like the Java client`, () => {
      expect(partitionOf(key, manyPartitions)).to.equal(hash & 0x7fffffff);
    });
  }

  it('chooses the same partition as kafkajs by default, whatever the key', () => {
    const keys = fc.oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 100 }));
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 50 }), (key, partitions) => {
        expect(partitionOf(key, partitions)).to.equal(kafkajsPartition(key, partitions));
      }),
      { numRuns: 200 },
    );
  });

  it('uses all partitions', () => {
    const chosen = new Set(Array.from({ length: 1000 }, (_, index) => partitionOf(`evt_${index}`, 12)));

    expect([...chosen].sort((left, right) => left - right)).to.deep.equal([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ]);
  });
});
