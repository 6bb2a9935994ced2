import { createRequire } from 'node:module';

import { decodeRecord, type BatchContext } from './decodeRecord.js';
import { encodeRecord, type RecordToEncode } from './encodeRecord.js';

/** How many records went through the functions of this project, which shows whether kafkajs calls them. */
export const recordsSeen = { encoded: 0, decoded: 0 };

function encode(record: RecordToEncode) {
  recordsSeen.encoded += 1;
  return encodeRecord(record);
}

function decode(decoder: { readonly buffer: Buffer }, context: BatchContext) {
  recordsSeen.decoded += 1;
  return decodeRecord(decoder, context);
}

/** The modules of kafkajs 2.2.4 that write and read single records, and their replacements. */
const replacements = [
  ['kafkajs/src/protocol/recordBatch/record/v0/index.js', encode],
  ['kafkajs/src/protocol/recordBatch/record/v0/decoder.js', decode],
] as const;

/**
 * Has kafkajs write and read records with this project's functions, which do the same in a fraction of the processor time
 * (docs/adr/0019-record-format.md).
 *
 * To be called before a client sends its first request: kafkajs loads what a request needs with the first of its kind, and keeps it.
 */
export function replaceRecordFormat(): void {
  const load = createRequire(import.meta.url);
  for (const [path, replacement] of replacements) {
    load(path);
    const loaded = load.cache[load.resolve(path)];
    if (loaded !== undefined) {
      loaded.exports = replacement;
    }
  }
}
