import { isAscii } from 'node:buffer';

import type { RawRecord } from '../encoding/record.js';
import { setOwn } from '../recordFormat/setOwnProperty.js';

/** A copy of a record. A slice would keep the whole fetched megabyte in memory until its record is finished. */
export function copyOfRecord(record: RawRecord): RawRecord {
  const { key, value } = record;
  const headers: Record<string, RawRecord['headers'][string]> = {};
  for (const [name, header] of Object.entries(record.headers)) {
    setOwn(headers, name, Array.isArray(header) ? header.map(textOrCopyOf) : textOrCopyOf(header));
  }
  return {
    ...record,
    key: key === null ? null : copyOf(key),
    value: value === null ? null : copyOf(value),
    headers,
  };
}

/** A string if its bytes are valid UTF-8. Thousands of records wait, and a buffer consists of several objects. */
function textOrCopyOf<Part>(part: Part): Part | Buffer | string {
  if (!Buffer.isBuffer(part)) {
    return part;
  }
  return isAscii(part) ? part.toString('latin1') : copyOf(part);
}

/**
 * A copy outside of Node's pool for small buffers. In the pool, one unfinished record would keep a chunk of up to 64
 * KiB.
 */
function copyOf(part: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(part.length);
  part.copy(copy);
  return copy;
}
