import { isUtf8 } from 'node:buffer';

/** The position of a JSON value in its text, in bytes. `end` is the position after the value's last byte. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface JsonObjectText {
  /** The parsed object. Parsing can lose digits of a number, so only the bytes of the JSON text are exact. */
  readonly object: Readonly<Record<string, unknown>>;
  /** The position of the value of each top-level member. If a member is repeated, its last value counts. */
  readonly members: ReadonlyMap<string, Span>;
  /** The name of a duplicate top-level member, or null. JSON allows duplicate names, but JSON
   * parsers of receivers may reject them. */
  readonly repeatedMember: string | null;
}

export type JsonObjectReading =
  | { readonly valid: true; readonly text: JsonObjectText }
  | {
      readonly valid: false;
      readonly reason: 'not_json' | 'too_deep' | 'not_an_object';
      readonly message: string;
    };

export const quote = 0x22;
export const comma = 0x2c;
export const colon = 0x3a;
export const openBracket = 0x5b;
const backslash = 0x5c;
export const closeBracket = 0x5d;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

/**
 * Reads the text of a JSON object and the positions of its members, so that each member can be sent on unchanged.
 * `readJsonObject` rejects invalid UTF-8, a byte-order mark, violations of RFC 8259, and nesting deeper than
 * `maximumDepth`. The outermost object has depth 1.
 */
export function readJsonObject(bytes: Buffer, maximumDepth: number): JsonObjectReading {
  if (!isUtf8(bytes)) {
    return notJson('it is not valid UTF-8');
  }
  const value = parsed(bytes);
  if (value instanceof SyntaxError) {
    return notJson(value.message);
  }
  if (!isObject(value)) {
    return { valid: false, reason: 'not_an_object', message: 'it is not a JSON object' };
  }
  const { depth, members, repeatedMember } = topLevelMembers(bytes);
  if (depth > maximumDepth) {
    return {
      valid: false,
      reason: 'too_deep',
      message: `it is nested deeper than ${maximumDepth} levels`,
    };
  }
  return { valid: true, text: { object: value, members, repeatedMember } };
}

function notJson(message: string): JsonObjectReading {
  return { valid: false, reason: 'not_json', message };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch (error) {
    return error instanceof SyntaxError ? error : new SyntaxError(String(error));
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface TopLevel {
  readonly depth: number;
  readonly members: Map<string, Span>;
  readonly repeatedMember: string | null;
}

/**
 * Finds the top-level members of text that `JSON.parse` has accepted, without recursion. JSON parsers that report
 * offsets use recursion, and 128 KiB of brackets overflow their stack.
 */
function topLevelMembers(bytes: Buffer): TopLevel {
  const members = new Map<string, Span>();
  let repeatedMember: string | null = null;
  let deepest = 0;
  let depth = 0;
  let lastString: Span = { start: 0, end: 0 };
  let name: string | null = null;
  let valueStart = 0;

  const endMember = (end: number) => {
    if (name !== null) {
      repeatedMember = members.has(name) ? name : repeatedMember;
      members.set(name, trimmed(bytes, valueStart, end));
      name = null;
    }
  };
  const onTopLevel = (byte: number, at: number) => {
    if (byte === colon) {
      name = JSON.parse(bytes.toString('utf8', lastString.start, lastString.end)) as string;
      valueStart = at + 1;
    } else if (byte === comma || byte === closeBrace) {
      endMember(at);
    }
  };

  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      const end = stringEnd(bytes, at);
      lastString = { start: at, end };
      at = end - 1;
      continue;
    }
    if (depth === 1) {
      onTopLevel(byte, at);
    }
    depth += depthChange(byte);
    deepest = Math.max(deepest, depth);
  }
  return { depth: deepest, members, repeatedMember };
}

export function depthChange(byte: number): number {
  if (byte === openBrace || byte === openBracket) {
    return 1;
  }
  return byte === closeBrace || byte === closeBracket ? -1 : 0;
}

/**
 * The position after the closing quote of the JSON string that begins at `start`. Without a closing quote, the position
 * is behind the end of the text.
 */
export function stringEnd(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) {
    at += bytes[at] === backslash ? 2 : 1;
  }
  return at + 1;
}

function trimmed(bytes: Buffer, start: number, end: number): Span {
  let from = start;
  let to = end;
  while (isWhitespace(bytes[from])) {
    from += 1;
  }
  while (isWhitespace(bytes[to - 1])) {
    to -= 1;
  }
  return { start: from, end: to };
}

export function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
