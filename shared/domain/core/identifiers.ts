import { decodeTime, ulid } from 'ulid';

/** The prefixes of ids, by resource. A ULID follows the prefix, so ids sort by the time of their creation. */
export type IdentifierPrefix = 'evt' | 'wh' | 'key' | 'att' | 'rpl' | 'acct' | 'usr' | 'req';

const ulidText = '[0-7][0-9A-HJKMNP-TV-Z]{25}';
const ulidPattern = new RegExp(`^${ulidText}$`);

export interface Identifiers {
  /** A new id such as `evt_01J…` for a resource created at `at`. */
  create: (prefix: IdentifierPrefix, at: Date) => string;
  /** A ULID without prefix: the `ce_id` of a record that creates no resource. */
  createRecordId: (at: Date) => string;
}

/** @param random returns another number in [0, 1) on each call */
export function createIdentifiers(random: () => number): Identifiers {
  return {
    create: (prefix, at) => `${prefix}_${ulid(at.getTime(), random)}`,
    createRecordId: (at) => ulid(at.getTime(), random),
  };
}

/** Whether `text` is an id with this prefix and a canonical ULID. */
export function isIdentifier(prefix: IdentifierPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && isRecordId(text.slice(prefix.length + 1));
}

/** The pattern of the text `before` with an id of the prefix after it. */
export function identifierPattern(prefix: IdentifierPrefix, before = ''): RegExp {
  return new RegExp(`^${before}${prefix}_${ulidText}$`);
}

/** Whether `text` is a ULID in its canonical, upper-case form. */
export function isRecordId(text: string): boolean {
  return ulidPattern.test(text);
}

/** The creation time of a valid id, to the millisecond. */
export function identifierTime(identifier: string): Date {
  return new Date(decodeTime(identifier.slice(identifier.indexOf('_') + 1)));
}
