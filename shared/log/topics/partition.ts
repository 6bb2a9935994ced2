import type { AcceptedEvent } from '../../domain/events/event.js';

const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;
const shift = 24;

/**
 * The partition of a record key, as in the Java client's default partitioner: murmur2(key) mod count (Apache Kafka,
 * `org.apache.kafka.common.utils.Utils.murmur2` and `toPositive`). `partitionOf` takes a tenth of the time of kafkajs's
 * function, which calculates with BigInts.
 */
export function partitionOf(key: string | Buffer, partitions: number): number {
  return (murmur2(typeof key === 'string' ? Buffer.from(key) : key) & 0x7fffffff) % partitions;
}

/**
 * The placement of an event: the partition of `events` that the API chooses. Other producers may choose any partition,
 * so the placement is never the answer to the question which partition contains an event. An event outside its
 * placement may have another record in it.
 */
export function placementOf({ id }: Pick<AcceptedEvent, 'id'>, partitions: number): number {
  return partitionOf(id, partitions);
}

function murmur2(data: Buffer): number {
  const wholeWords = data.length >> 2;
  let hash = seed ^ data.length;
  for (let word = 0; word < wholeWords; word += 1) {
    hash = Math.imul(hash, multiplier) ^ mixed(data.readInt32LE(word * 4));
  }
  const rest = data.length & 3;
  if (rest > 0) {
    hash = Math.imul(hash ^ data.readUIntLE(wholeWords * 4, rest), multiplier);
  }
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}

function mixed(word: number): number {
  const multiplied = Math.imul(word, multiplier);
  return Math.imul(multiplied ^ (multiplied >>> shift), multiplier);
}
