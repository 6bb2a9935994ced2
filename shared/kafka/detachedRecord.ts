import { isAscii } from 'node:buffer';

import type { RawRecord } from '../topics/record.js';
import { setOwn } from './recordFormat/setOwn.js';

/** A copy: one slice would keep the whole fetched megabyte in memory for as long as its record is unfinished. */
export function detached(record: RawRecord): RawRecord {
  const { key, value } = record;
  const headers: Record<string, RawRecord['headers'][string]> = {};
  for (const [name, header] of Object.entries(record.headers)) {
    setOwn(headers, name, Array.isArray(header) ? header.map(textOrCopyOf) : textOrCopyOf(header));
  }
  return {
    ...record,
    key: key === null ? null : Buffer.from(key),
    value: value === null ? null : Buffer.from(value),
    headers,
  };
}

/** As text where that is byte for byte the same: thousands of records wait, and a buffer is several objects. */
function textOrCopyOf<Part>(part: Part): Part | Buffer | string {
  if (!Buffer.isBuffer(part)) {
    return part;
  }
  return isAscii(part) ? part.toString('latin1') : Buffer.from(part);
}
