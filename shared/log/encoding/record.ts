import { isAscii } from 'node:buffer';

import { setOwn } from '../recordFormat/recordFormat.js';
import type { TopicName } from '../topics/names.js';

type HeaderValue = Buffer | string | (Buffer | string)[] | undefined;

/** A record of the log with its key, value and headers as bytes. */
export interface RawRecord {
  readonly topic: TopicName;
  readonly partition: number;
  /** The offset of the record. Offsets stay below 2^53, so a number replaces a BigInt. */
  readonly offset: number;
  /** The append time by the producer's clock, in milliseconds since 1970. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, HeaderValue>>;
}

/** A record to be appended. */
export interface OutgoingRecord {
  readonly topic: TopicName;
  readonly key: string;
  /** The partition of the record; if it is missing, the key determines the partition. */
  readonly partition?: number;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** A record of a compacted topic that removes all earlier records of its key. */
export type Tombstone = Omit<OutgoingRecord, 'value'> & { readonly value: null };

/** The position of a record in the log. */
export interface RecordPosition {
  readonly topic: TopicName;
  readonly partition: number;
  readonly offset: number;
}

/** The result of decoding a record. The dead letter of an unreadable record contains `reason`. */
export type Decoded<Content> =
  | { readonly readable: true; readonly content: Content }
  | { readonly readable: false; readonly reason: string };

/** The size of a record's key and value, in bytes. */
export function sizeOfRecord({ key, value }: Pick<RawRecord, 'key' | 'value'>): number {
  return (key?.length ?? 0) + (value?.length ?? 0);
}

/** A copy of a record. A slice of a fetch would retain the whole fetch in memory until the record is finished. */
export function copyOfRecord(record: RawRecord): RawRecord {
  const { key, value } = record;
  const headers: Record<string, RawRecord['headers'][string]> = {};
  for (const [name, header] of Object.entries(record.headers)) {
    setOwn(headers, name, Array.isArray(header) ? header.map(textOrCopyOf) : textOrCopyOf(header));
  }
  return {
    ...record,
    key: key === null ? null : copyOf(key),
    value: value === null ? null : copyOf(value),
    headers,
  };
}

/**
 * A string for bytes that are valid UTF-8, otherwise a copy. A string needs less memory than a buffer, and thousands of
 * records are in memory.
 */
function textOrCopyOf<Part>(part: Part): Part | Buffer | string {
  if (!Buffer.isBuffer(part)) {
    return part;
  }
  return isAscii(part) ? part.toString('latin1') : copyOf(part);
}

/**
 * A copy of a buffer outside of Node's pool for small buffers. A buffer in the pool would retain a chunk of up to 64
 * KiB until its record is finished.
 */
function copyOf(part: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(part.length);
  part.copy(copy);
  return copy;
}
