import { createRequire } from 'node:module';

import type {
  BatchContext,
  DecodedRecord,
  EncodedRecord,
  RecordToEncode,
} from '../../../../shared/log/recordFormat/recordFormat.js';

interface KafkajsFormat {
  encode: (record: RecordToEncode) => EncodedRecord;
  /** Decodes a record that follows its length. */
  decode: (record: Buffer, context: BatchContext) => DecodedRecord;
}

type Decoder = new (buffer: Buffer) => { readVarIntBytes: () => Buffer };

/** The record format of kafkajs itself, even if its modules are patched. */
export function loadKafkajsFormat(): KafkajsFormat {
  const load = createRequire(import.meta.url);
  const loadFresh = (path: string): unknown => {
    const resolved = load.resolve(path);
    const before = load.cache[resolved];
    Reflect.deleteProperty(load.cache, resolved);
    const loaded: unknown = load(path);
    load.cache[resolved] = before;
    return loaded;
  };
  const folder = 'kafkajs/src/protocol';
  const Decoder = load(`${folder}/decoder.js`) as Decoder;
  const decode = loadFresh(`${folder}/recordBatch/record/v0/decoder.js`) as (
    decoder: InstanceType<Decoder>,
    context: BatchContext,
  ) => DecodedRecord;
  return {
    encode: loadFresh(`${folder}/recordBatch/record/v0/index.js`) as KafkajsFormat['encode'],
    decode: (record, context) => decode(new Decoder(new Decoder(record).readVarIntBytes()), context),
  };
}
