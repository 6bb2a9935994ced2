import { createRequire } from 'node:module';

import type { DecodedRecord } from '../recordFormat/decodeRecord.js';
import { callsOfReplacements } from './replaceRecordFormat.js';

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
  const load = createRequire(import.meta.url);
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
