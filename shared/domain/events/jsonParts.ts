import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  depthChange,
  isWhitespace,
  openBrace,
  openBracket,
  quote,
  stringEnd,
  type Span,
} from './jsonText.js';

/** A part of a JSON text: a member of its object, or an element of its list. */
export type JsonPart =
  | { readonly kind: 'member'; readonly name: Span; readonly value: Span }
  /** The beginning of the list in a member. The elements of the list follow. */
  | { readonly kind: 'list'; readonly name: Span }
  | { readonly kind: 'element'; readonly value: Span };

/** The error for text that is no JSON object or list. */
export class MalformedJsonError extends Error {
  override readonly name = 'MalformedJsonError';
}

/**
 * Splits the text of a JSON object one member after the other, and the lists in its members one element after the
 * other. The caller can pause between two parts of a large text. The splitting checks only the text around the parts:
 * the caller must parse each name and each value.
 * @throws MalformedJsonError when it reaches text that cannot be part of a JSON object
 */
export function* splitJsonObject(bytes: Buffer): Generator<JsonPart, void> {
  let at = expect(bytes, textStart(bytes, 0), openBrace);
  for (let isFirst = true; !isEnd(bytes, at, closeBrace, isFirst); isFirst = false) {
    at = isFirst ? textStart(bytes, at) : textStart(bytes, expect(bytes, textStart(bytes, at), comma));
    const name = { start: at, end: stringEnd(bytes, expect(bytes, at, quote) - 1) };
    at = textStart(bytes, expect(bytes, textStart(bytes, name.end), colon));
    if (bytes[at] === openBracket) {
      yield { kind: 'list', name };
      at = yield* elements(bytes, at);
    } else {
      const value = valueAt(bytes, at);
      yield { kind: 'member', name, value };
      at = value.end;
    }
  }
  expectEnd(bytes, expect(bytes, textStart(bytes, at), closeBrace));
}

/**
 * Splits the text of a JSON list one element after the other, like `splitJsonObject`.
 * @throws MalformedJsonError when it reaches text that cannot be part of a JSON list
 */
export function* splitJsonList(bytes: Buffer): Generator<JsonPart, void> {
  expectEnd(bytes, yield* elements(bytes, textStart(bytes, 0)));
}

/** @returns the position after the closing bracket */
function* elements(bytes: Buffer, start: number): Generator<JsonPart, number> {
  let at = expect(bytes, start, openBracket);
  for (let isFirst = true; !isEnd(bytes, at, closeBracket, isFirst); isFirst = false) {
    at = isFirst ? textStart(bytes, at) : textStart(bytes, expect(bytes, textStart(bytes, at), comma));
    const value = valueAt(bytes, at);
    yield { kind: 'element', value };
    at = value.end;
  }
  return expect(bytes, textStart(bytes, at), closeBracket);
}

/** Whether an object or list ends here, or something other than a comma follows. */
function isEnd(bytes: Buffer, at: number, closing: number, isFirst: boolean): boolean {
  const next = bytes[textStart(bytes, at)];
  return next === closing || (!isFirst && next !== comma);
}

/** The value that begins at a position. Only the end of the value is certain, and not whether the value is valid. */
function valueAt(bytes: Buffer, start: number): Span {
  const first = bytes[start];
  const end =
    first === openBrace || first === openBracket ? containerEnd(bytes, start) : scalarEnd(bytes, start);
  return end < bytes.length ? { start, end } : fail();
}

/** The position after the bracket that closes an object or list. */
function containerEnd(bytes: Buffer, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const byte = bytes[at] ?? 0;
    depth += depthChange(byte);
    at = byte === quote ? stringEnd(bytes, at) : at + 1;
  } while (depth > 0 && at < bytes.length);
  return depth === 0 ? at : bytes.length;
}

/** The position of the delimiter after a number, a literal or a string. */
function scalarEnd(bytes: Buffer, start: number): number {
  let at = bytes[start] === quote ? stringEnd(bytes, start) : start + 1;
  while (at < bytes.length && !isDelimiter(bytes[at])) {
    at += 1;
  }
  return at;
}

function isDelimiter(byte: number | undefined): boolean {
  return byte === comma || byte === closeBrace || byte === closeBracket || isWhitespace(byte);
}

function textStart(bytes: Buffer, from: number): number {
  let at = from;
  while (isWhitespace(bytes[at])) {
    at += 1;
  }
  return at;
}

/** @returns the position after the expected byte */
function expect(bytes: Buffer, at: number, byte: number): number {
  return bytes[at] === byte ? at + 1 : fail();
}

function expectEnd(bytes: Buffer, at: number): void {
  if (textStart(bytes, at) !== bytes.length) {
    fail();
  }
}

function fail(): never {
  throw new MalformedJsonError('it is no complete JSON text');
}
