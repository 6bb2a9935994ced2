import { expect } from 'chai';
import fc from 'fast-check';

import {
  decodeRecord,
  type BatchContext,
  encodeRecord,
  type RecordToEncode,
  readVarint,
  sizeOfVarint,
  writeVarint,
} from '../../../../shared/log/recordFormat/recordFormat.js';
import { loadKafkajsFormat } from '../kafkajs-internals/kafkajsFormat.js';
import { itHolds } from '../../../support/itHolds.js';

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const text = fc.string({ unit: 'binary', maxLength: 200 });
const content = fc.oneof(bytes, text);
/** Not the names of properties of every object, which kafkajs encodes differently. */
const headerName = text.filter((name) => !(name in {}));

const records: fc.Arbitrary<RecordToEncode> = fc.record({
  offsetDelta: fc.nat(),
  timestampDelta: fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
  key: fc.option(content),
  value: fc.option(content),
  headers: fc.dictionary(headerName, fc.oneof(content, fc.array(content, { maxLength: 3 })), { maxKeys: 12 }),
});

const contexts: fc.Arbitrary<BatchContext> = fc.record({
  firstOffset: fc.maxSafeNat().map((offset) => String(Math.floor(offset / 2))),
  firstTimestamp: fc.integer({ min: -1, max: 2 ** 45 }).map(String),
  maxTimestamp: fc.integer({ min: -1, max: 2 ** 45 }).map(String),
  timestampType: fc.constantFrom(0, 1),
  magicByte: fc.constant(2),
  isControlBatch: fc.boolean(),
});

const context: BatchContext = {
  firstOffset: '0',
  firstTimestamp: '0',
  maxTimestamp: '0',
  timestampType: 0,
  magicByte: 2,
};

/** A record without its length, which comes first. */
function bodyOf(record: Buffer): { readonly buffer: Buffer } {
  const cursor = { offset: 0 };
  readVarint(record, cursor);
  return { buffer: record.subarray(cursor.offset) };
}

const roundTrip = (headers: RecordToEncode['headers'] = {}) =>
  decodeRecord(bodyOf(encodeRecord({ value: null, headers }).buffer), context).headers;

describe('the record format', () => {
  const kafkajs = loadKafkajsFormat();

  itHolds('encodes a record like kafkajs, byte for byte', [records], (record) => {
    expect(encodeRecord(record).buffer).to.deep.equal(kafkajs.encode(record).buffer);
  });

  itHolds('decodes a record like kafkajs', [records, contexts], (record, of) => {
    const { buffer } = kafkajs.encode(record);
    expect(decodeRecord(bodyOf(buffer), of)).to.deep.equal(kafkajs.decode(buffer, of));
  });

  itHolds(
    'decodes integers up to 2^52 as they were encoded, in the number of bytes that it calculates',
    [fc.integer({ min: -(2 ** 52), max: 2 ** 52 - 1 })],
    (value) => {
      const buffer = Buffer.alloc(10);
      const end = writeVarint(buffer, 0, value);
      const cursor = { offset: 0 };
      expect([readVarint(buffer, cursor), cursor.offset, sizeOfVarint(value)]).to.deep.equal([
        value,
        end,
        end,
      ]);
    },
  );

  it('preserves a header without a value, which kafkajs cannot encode', () => {
    expect(roundTrip({ empty: null })).to.deep.equal({ empty: null });
  });

  it('preserves headers with the names of properties of every object', () => {
    const names = ['constructor', 'toString', '__proto__'];
    const headers = roundTrip(Object.fromEntries(names.map((name) => [name, name])));
    expect(Object.entries(headers)).to.deep.equal(names.map((name) => [name, Buffer.from(name)]));
  });

  it('preserves each of several headers of one name, also of such a name', () => {
    const twice = [Buffer.from('a'), Buffer.from('b')];
    const headers = roundTrip(Object.fromEntries([['__proto__', twice]]));
    expect(Object.entries(headers)).to.deep.equal([['__proto__', twice]]);
  });
});
