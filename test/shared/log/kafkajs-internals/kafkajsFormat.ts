import { createRequire } from 'node:module';

import type { BatchContext, DecodedRecord } from '../../../../shared/log/recordFormat/decodeRecord.js';
import type { EncodedRecord, RecordToEncode } from '../../../../shared/log/recordFormat/encodeRecord.js';

interface KafkajsFormat {
  encode: (record: RecordToEncode) => EncodedRecord;
  /** Reads a record with its length before it. */
  decode: (record: Buffer, context: BatchContext) => DecodedRecord;
}

type Decoder = new (buffer: Buffer) => { readVarIntBytes: () => Buffer };

/** How kafkajs itself writes and reads records, also where it was told to leave that to others. */
export function loadKafkajsFormat(): KafkajsFormat {
  const load = createRequire(import.meta.url);
  const loadAnew = (path: string): unknown => {
    const resolved = load.resolve(path);
    const before = load.cache[resolved];
    Reflect.deleteProperty(load.cache, resolved);
    const loaded: unknown = load(path);
    load.cache[resolved] = before;
    return loaded;
  };
  const folder = 'kafkajs/src/protocol';
  const Decoder = load(`${folder}/decoder.js`) as Decoder;
  const decode = loadAnew(`${folder}/recordBatch/record/v0/decoder.js`) as (
    decoder: InstanceType<Decoder>,
    context: BatchContext,
  ) => DecodedRecord;
  return {
    encode: loadAnew(`${folder}/recordBatch/record/v0/index.js`) as KafkajsFormat['encode'],
    decode: (record, context) => decode(new Decoder(new Decoder(record).readVarIntBytes()), context),
  };
}
