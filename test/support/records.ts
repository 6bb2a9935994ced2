import type { OutgoingRecord, RawRecord } from '../../shared/log/encoding/record.js';
import { start } from './facts.js';

/** A record at a position of the log, as the Kafka client returns it. */
export function rawRecord(
  { topic, key, value, headers }: OutgoingRecord,
  { partition = 0, offset = 0 }: { partition?: number; offset?: number } = {},
): RawRecord {
  const bytes = Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)] as const);
  return {
    topic,
    partition,
    offset,
    timestamp: start.getTime(),
    key: Buffer.from(key),
    value,
    headers: Object.fromEntries(bytes),
  };
}
