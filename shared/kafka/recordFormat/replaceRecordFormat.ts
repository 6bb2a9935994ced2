import { createRequire } from 'node:module';

import { decodeRecord } from './decodeRecord.js';
import { encodeRecord } from './encodeRecord.js';

/** The modules of kafkajs 2.2.4 that write and read single records, and what stands in their place. */
const replacements = [
  ['kafkajs/src/protocol/recordBatch/record/v0/index.js', encodeRecord],
  ['kafkajs/src/protocol/recordBatch/record/v0/decoder.js', decodeRecord],
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
