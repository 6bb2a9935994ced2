import { decodeTime, ulid } from 'ulid';

/** What the ids of each resource begin with; the rest is a ULID, so ids sort by the time they were made. */
export type IdentifierPrefix = 'evt' | 'wh' | 'key' | 'att' | 'rpl' | 'acct' | 'usr' | 'req';

const ulidText = '[0-7][0-9A-HJKMNP-TV-Z]{25}';
const ulidPattern = new RegExp(`^${ulidText}$`);

export interface Identifiers {
  /** A new id such as `evt_01J…` for a resource created at `at`. */
  create: (prefix: IdentifierPrefix, at: Date) => string;
  /** A bare ULID: the `ce_id` of a record that stands for no resource of its own. */
  createRecordId: (at: Date) => string;
}

/** @param random returns a fresh number in [0, 1) on each call */
export function createIdentifiers(random: () => number): Identifiers {
  return {
    create: (prefix, at) => `${prefix}_${ulid(at.getTime(), random)}`,
    createRecordId: (at) => ulid(at.getTime(), random),
  };
}

/** Whether `text` is an id of that kind, letter for letter as this service writes them. */
export function isIdentifier(prefix: IdentifierPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && isRecordId(text.slice(prefix.length + 1));
}

/** What every id of that kind matches behind the text `before`, and nothing else. */
export function identifierPattern(prefix: IdentifierPrefix, before = ''): RegExp {
  return new RegExp(`^${before}${prefix}_${ulidText}$`);
}

/** Whether `text` is a ULID in its canonical, upper-case form. */
export function isRecordId(text: string): boolean {
  return ulidPattern.test(text);
}

/** When a valid id was made, to the millisecond. */
export function identifierTime(identifier: string): Date {
  return new Date(decodeTime(identifier.slice(identifier.indexOf('_') + 1)));
}
