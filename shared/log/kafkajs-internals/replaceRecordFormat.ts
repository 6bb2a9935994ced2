import { createRequire } from 'node:module';

import {
  decodeRecord,
  type BatchContext,
  type DecodedRecord,
  encodeRecord,
  type RecordToEncode,
} from '../recordFormat/recordFormat.js';

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
function callsOfReplacements(): readonly number[] {
  return replacements.map(([path]) => {
    const loaded: unknown = load(path);
    return isCounted(loaded) ? loaded.calls : 0;
  });
}

function isCounted(loaded: unknown): loaded is Counted {
  return typeof loaded === 'function' && 'calls' in loaded && typeof loaded.calls === 'number';
}

interface Decoder {
  readonly readString: () => string | null;
  readonly readInt16: () => number;
  readonly readInt32: () => number;
}

interface ProduceRequest {
  readonly encode: () => Promise<{ readonly buffer: Buffer }>;
}

/** The modules with which kafkajs 2.2.4 writes a produce request and reads the records of a fetch. */
interface Protocol {
  readonly createRequest: (content: object) => ProduceRequest;
  readonly decodeMessages: (decoder: Decoder) => Promise<readonly DecodedRecord[]>;
  readonly Decoder: new (buffer: Buffer) => Decoder;
}

const probe = { key: 'key', value: 'value', headers: { constructor: 'header' } };

/**
 * Verifies that kafkajs uses the record format of this project, by writing and reading one record.
 * @throws Error if kafkajs uses another format
 */
export async function verifyRecordFormat(): Promise<void> {
  const before = callsOfReplacements();
  const [record] = await roundTrip(loadProtocol());
  const isOurs = callsOfReplacements().every((calls, index) => calls > (before[index] ?? 0));
  const found = JSON.stringify([record?.key, record?.value, record?.headers['constructor']].map(String));
  const isEqual = found === JSON.stringify([probe.key, probe.value, probe.headers.constructor]);
  if (!isOurs || !isEqual) {
    throw new Error(
      'kafkajs does not use the record format of Postrider. Reinstall the dependencies of ' +
        'Postrider: run "npm ci" in its folder.',
    );
  }
}

function loadProtocol(): Protocol {
  const folder = 'kafkajs/src/protocol';
  return {
    createRequest: load(`${folder}/requests/produce/v3/request.js`) as Protocol['createRequest'],
    decodeMessages: load(`${folder}/requests/fetch/v4/decodeMessages.js`) as Protocol['decodeMessages'],
    Decoder: load(`${folder}/decoder.js`) as Protocol['Decoder'],
  };
}

async function roundTrip({ createRequest, decodeMessages, Decoder }: Protocol) {
  const partitions = [{ partition: 0, messages: [probe] }];
  const request = createRequest({ acks: -1, timeout: 0, topicData: [{ topic: 'probe', partitions }] });
  const { buffer } = await request.encode();
  const decoder = new Decoder(buffer);
  // Skips the produce request's fields before the records: transaction, acknowledgements, timeout, topic and partition.
  decoder.readString();
  decoder.readInt16();
  decoder.readInt32();
  decoder.readInt32();
  decoder.readString();
  decoder.readInt32();
  decoder.readInt32();
  return decodeMessages(decoder);
}
