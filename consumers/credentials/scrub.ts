import { extended, searchPattern, type SearchPattern } from '../../shared/core/textSearch.js';
import { withoutEscapes } from './jsonEscapes.js';

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
/** The length of `\u0041`, the longest escape sequence of one byte. */
const longestEscape = 6;
const mask = Buffer.from('***');

/** Half-open: the byte at `end` is not part of the range. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Creates the scrub of some opened values. Each value is masked as it was sent, and as the content of a JSON string with
 * any escape sequences. For each value, the time is linear in the length of the data.
 * @param values the opened values
 */
export function createScrub(values: readonly string[]): Scrub {
  const texts = [...new Set(values.filter(({ length }) => length >= shortestScrubbed).flatMap(byteTexts))];
  const searches = texts.map(createByteSearch);
  // After a cut within a value, the first bytes of the value must be there in any form, because they are masked.
  const lookahead =
    texts.length === 0
      ? 0
      : Math.max(shortestScrubbed * longestEscape, ...texts.map(({ length }) => length)) - 1;

  const find = (bytes: Buffer): readonly Found[] => {
    const text = bytes.toString('latin1');
    const found = searches.map((search) => search(text));
    return text.includes('\\') ? [...found, ...foundUnescaped(text, searches)] : found;
  };

  return {
    lookahead,
    bytes: (bytes, maximumBytes) => {
      const ranges = find(bytes).flatMap(({ whole, end }) => (end === null ? whole : [...whole, end]));
      return masked(bytes, joined(ranges), maximumBytes);
    },
    text: (text) => {
      const bytes = Buffer.from(text);
      const ranges = find(bytes).flatMap(({ whole }) => whole);
      return ranges.length === 0 ? text : masked(bytes, joined(ranges), bytes.length).toString();
    },
  };
}

/**
 * The UTF-8 of a value, as a text in which each character stands for one byte. The HTTP client reads headers as Latin-1,
 * so the second text is the UTF-8 of what it reads when a receiver echoes the value.
 */
function byteTexts(value: string): readonly string[] {
  const once = Buffer.from(value).toString('latin1');
  return [once, Buffer.from(once).toString('latin1')];
}

interface Found {
  /** All occurrences. Those that overlap are one range. */
  readonly whole: readonly Range[];
  /** The beginning of the value at the end of the text; null if it is too short. */
  readonly end: Range | null;
}

type ByteSearch = (text: string) => Found;

/**
 * The built-in search finds the first bytes of a value, because it skips ordinary texts fast. For a whole value, it would
 * take quadratic time.
 */
function createByteSearch(value: string): ByteSearch {
  const first = value.slice(0, shortestScrubbed);
  let pattern: SearchPattern | null = null;
  return (text) => {
    const whole: Range[] = [];
    let matched = 0;
    let at = text.indexOf(first);
    while (at !== -1 && at < text.length) {
      pattern ??= searchPattern(value);
      matched = extended(pattern, matched, text.charCodeAt(at));
      at += 1;
      if (matched === value.length) {
        append(whole, { start: at - matched, end: at });
        matched = pattern.borders[matched] ?? 0;
      }
      if (matched === 0) {
        at = text.indexOf(first, at);
      }
    }
    const isCut = matched >= shortestScrubbed;
    return { whole, end: isCut ? { start: text.length - matched, end: text.length } : null };
  };
}

/** What the searches find in a text without its escape sequences. The ranges are those of the text itself. */
function foundUnescaped(text: string, searches: readonly ByteSearch[]): readonly Found[] {
  const unescaped = withoutEscapes(text);
  const positionOf = (at: number) => unescaped.positions[at] ?? text.length;
  return searches.map((search) => {
    const { whole, end } = search(unescaped.text);
    return {
      whole: whole.map((range) => ({ start: positionOf(range.start), end: positionOf(range.end) })),
      end: end === null ? null : { start: positionOf(end.start), end: text.length },
    };
  });
}

/** Ranges in their order. Ranges that overlap become one. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = [];
  for (const range of [...ranges].sort((left, right) => left.start - right.start)) {
    append(result, range);
  }
  return result;
}

/** Adds a range that begins after the others, or extends the last one if they overlap. */
function append(ranges: Range[], range: Range): void {
  const last = ranges.at(-1);
  if (last !== undefined && range.start < last.end) {
    ranges[ranges.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  } else {
    ranges.push(range);
  }
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
