import { extended, searchPattern, type SearchPattern } from '../../shared/core/textSearch.js';

/** Removes the credentials of a webhook from data that a receiver sent. */
export interface Scrub {
  /**
   * Masks bytes, and cuts the result. The bytes can end within a value, if a receiver was cut off. So the beginning of
   * a value at their end is masked too.
   * @param bytes the beginning of a text, with at least `lookahead` bytes after `maximumBytes` if the text is that long
   */
  readonly bytes: (bytes: Buffer, maximumBytes: number) => Buffer;
  /** Masks a complete text. */
  readonly text: (text: string) => string;
  /** The bytes after a cut that the scrub needs, because a value may begin before the cut. */
  readonly lookahead: number;
}

/** Shorter values occur in ordinary texts, so masking them would make responses unreadable. */
const shortestScrubbed = 4;
const mask = Buffer.from('***');

/** Half-open: the byte at `end` is not part of the range. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Creates the scrub of some opened values. Each value is masked as it was sent, and as the content of a JSON string.
 * @param values the opened values, in ASCII
 */
export function createScrub(values: readonly string[]): Scrub {
  const patterns = [...new Set(values.flatMap(formsOf))].map(bytePattern);
  const lookahead = Math.max(0, ...patterns.map(({ text }) => text.length - 1));
  return {
    lookahead,
    bytes: (bytes, maximumBytes) => {
      const found = patterns.map((pattern) => search(bytes, pattern));
      const ends = found.flatMap(({ end }) => end);
      return masked(bytes, joined([...found.flatMap(({ whole }) => whole), ...ends]), maximumBytes);
    },
    text: (text) => {
      const bytes = Buffer.from(text);
      const ranges = joined(patterns.flatMap((pattern) => search(bytes, pattern).whole));
      return masked(bytes, ranges, bytes.length).toString();
    },
  };
}

function formsOf(value: string): readonly string[] {
  return value.length < shortestScrubbed ? [] : [value, JSON.stringify(value).slice(1, -1)];
}

/** The pattern of the bytes of a value: each character stands for one byte. */
function bytePattern(value: string): SearchPattern {
  return searchPattern(Buffer.from(value).toString('latin1'));
}

interface Found {
  /** All occurrences, also those that overlap. */
  readonly whole: readonly Range[];
  /** The beginning of the pattern at the end of the text, if it is long enough. */
  readonly end: readonly Range[];
}

function search(bytes: Buffer, pattern: SearchPattern): Found {
  const whole: Range[] = [];
  let matched = 0;
  for (const [position, byte] of bytes.entries()) {
    matched = extended(pattern, matched, byte);
    if (matched === pattern.text.length) {
      whole.push({ start: position + 1 - matched, end: position + 1 });
      matched = pattern.borders[matched] ?? 0;
    }
  }
  const end = matched < shortestScrubbed ? [] : [{ start: bytes.length - matched, end: bytes.length }];
  return { whole, end };
}

/** Ranges in their order. Ranges that overlap become one. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = [];
  for (const range of [...ranges].sort((left, right) => left.start - right.start)) {
    const last = result.at(-1);
    if (last !== undefined && range.start < last.end) {
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    } else {
      result.push(range);
    }
  }
  return result;
}

/** The bytes before `maximumBytes`, in which each range is replaced by the mask. */
function masked(bytes: Buffer, ranges: readonly Range[], maximumBytes: number): Buffer {
  const parts: Buffer[] = [];
  let position = 0;
  for (const { start, end } of ranges) {
    if (start >= maximumBytes) {
      break;
    }
    parts.push(bytes.subarray(position, start), mask);
    position = end;
  }
  parts.push(bytes.subarray(position, Math.max(position, maximumBytes)));
  return Buffer.from(Buffer.concat(parts).subarray(0, maximumBytes));
}
