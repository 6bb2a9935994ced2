import { createHash } from 'node:crypto';

import { Binary } from 'mongodb';

/**
 * The canonical text of a stored value, which is equal for equal values. The order of fields is ignored, because it
 * depends on the order in which records were folded.
 */
export function canonicalText(value: unknown): string {
  if (value instanceof Date) {
    return `date ${value.getTime()}`;
  }
  if (value instanceof Binary) {
    return `bytes ${value.toString('base64')}`;
  }
  if (Array.isArray(value)) {
    return `[${value.map(canonicalText).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalText(field)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/**
 * 64 bits of the SHA-256 of a text. The sum of the hashes of texts, modulo 2^64, is a checksum of the texts in any
 * order.
 */
export function hashOf(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigUInt64BE(0);
}

/** The names of the fields in which two documents differ. */
export function differingFields(left: object, right: object): readonly string[] {
  const [leftFields, rightFields] = [left, right].map(
    (document) => new Map(Object.entries(document).map(([name, value]) => [name, canonicalText(value)])),
  );
  const names = new Set([...(leftFields?.keys() ?? []), ...(rightFields?.keys() ?? [])]);
  return [...names].filter((name) => leftFields?.get(name) !== rightFields?.get(name)).sort();
}
