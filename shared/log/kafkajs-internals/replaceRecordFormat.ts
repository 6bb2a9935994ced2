import { createRequire } from 'node:module';

import { decodeRecord, type BatchContext } from '../recordFormat/decodeRecord.js';
import { encodeRecord, type RecordToEncode } from '../recordFormat/encodeRecord.js';

/** A replacement function that counts its calls by kafkajs. */
interface Counted {
  calls: number;
}

function createEncode() {
  const encode = (record: RecordToEncode) => {
    encode.calls += 1;
    return encodeRecord(record);
  };
  encode.calls = 0;
  return encode;
}

function createDecode() {
  const decode = (decoder: { readonly buffer: Buffer }, context: BatchContext) => {
    decode.calls += 1;
    return decodeRecord(decoder, context);
  };
  decode.calls = 0;
  return decode;
}

/** The modules of kafkajs 2.2.4 that write and read single records, and their replacements. */
const replacements = [
  ['kafkajs/src/protocol/recordBatch/record/v0/index.js', createEncode],
  ['kafkajs/src/protocol/recordBatch/record/v0/decoder.js', createDecode],
] as const;

const load = createRequire(import.meta.url);

/**
 * Replaces the functions with which kafkajs writes and reads records. The replacement functions use a fraction of the
 * CPU time (docs/adr/0019-record-format.md).
 *
 * `replaceRecordFormat` must be called before a Kafka client sends its first request. kafkajs loads the modules of each
 * kind of request once, with the first request of the kind.
 */
export function replaceRecordFormat(): void {
  for (const [path, create] of replacements) {
    const loaded: unknown = load(path);
    const module = load.cache[load.resolve(path)];
    if (module !== undefined && !isCounted(loaded)) {
      module.exports = create();
    }
  }
}

/**
 * How often kafkajs has called each replacement function. The counts are properties of the functions, because a process
 * can load this module several times but has one kafkajs.
 */
export function callsOfReplacements(): readonly number[] {
  return replacements.map(([path]) => {
    const loaded: unknown = load(path);
    return isCounted(loaded) ? loaded.calls : 0;
  });
}

function isCounted(loaded: unknown): loaded is Counted {
  return typeof loaded === 'function' && 'calls' in loaded && typeof loaded.calls === 'number';
}
