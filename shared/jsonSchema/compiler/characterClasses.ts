import type { AST } from '@eslint-community/regexpp';

import type { Place } from '../check/place.js';
import { demandLimit, limits } from './limits.js';

/** Sorted ranges of code points, alternating first and last. */
export type Ranges = readonly number[];

const lastCodePoint = 0x10ffff;

const digits: Ranges = [0x30, 0x39];
const wordCharacters: Ranges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
const lineTerminators: Ranges = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029];

/** `WhiteSpace` and `LineTerminator` of ECMA-262. */
const spaces: Ranges = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
].flat();

/** Computes the ranges of `\p{…}`, given as `property=value`. */
export type PropertyRanges = (property: string) => Ranges;

type ClassElement = AST.CharacterClass | AST.CharacterClassElement | AST.CharacterSet;

/** The ranges of a character class, or null if only the flag `v` allows it. */
export function rangesOf(element: ClassElement, rangesOfProperty: PropertyRanges): Ranges | null {
  switch (element.type) {
    case 'Character':
      return [element.value, element.value];
    case 'CharacterClassRange':
      return [element.min.value, element.max.value];
    case 'CharacterSet':
      return rangesOfSet(element, rangesOfProperty);
    case 'CharacterClass': {
      const parts = element.elements.map((part) => rangesOf(part, rangesOfProperty) ?? []);
      return negatedIf(element.negate, union(parts.flat()));
    }
    default:
      return null;
  }
}

function rangesOfSet(set: AST.CharacterSet, rangesOfProperty: PropertyRanges): Ranges {
  switch (set.kind) {
    case 'any':
      return negatedIf(true, lineTerminators);
    case 'digit':
      return negatedIf(set.negate, digits);
    case 'space':
      return negatedIf(set.negate, spaces);
    case 'word':
      return negatedIf(set.negate, wordCharacters);
    case 'property':
      return negatedIf(
        set.negate,
        rangesOfProperty(set.value === null ? set.key : `${set.key}=${set.value}`),
      );
  }
}

/** Sorts ranges and joins those that touch. */
function union(ranges: Ranges): Ranges {
  const pairs: [number, number][] = [];
  for (let at = 0; at < ranges.length; at += 2) {
    pairs.push([ranges[at] ?? 0, ranges[at + 1] ?? 0]);
  }
  pairs.sort(([left], [right]) => left - right);
  const joined: [number, number][] = [];
  for (const [first, last] of pairs) {
    const previous = joined.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) {
      previous[1] = Math.max(previous[1], last);
    } else {
      joined.push([first, last]);
    }
  }
  return joined.flat();
}

function negatedIf(isNegated: boolean, ranges: Ranges): Ranges {
  if (!isNegated) {
    return ranges;
  }
  const gaps: number[] = [];
  let next = 0;
  for (let at = 0; at < ranges.length; at += 2) {
    const first = ranges[at] ?? 0;
    if (first > next) {
      gaps.push(next, first - 1);
    }
    next = (ranges[at + 1] ?? 0) + 1;
  }
  return next > lastCodePoint ? gaps : [...gaps, next, lastCodePoint];
}

/** The Unicode properties (`\p{…}`) of one schema. */
export interface UnicodeProperties {
  /** @param property the text in the braces, such as `Script=Greek` */
  readonly rangesOf: (property: string, place: Place) => Ranges;
}

const surrogates = { first: 0xd800, last: 0xdfff };
const planeSize = 0x10000;
/**
 * The planes whose code points are all unassigned, or all for private use, except for the last two, which are
 * noncharacters. One code point stands for the others, because the time grows with their number.
 */
const uniformPlanes: ReadonlySet<number> = new Set([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16]);
const noncharacters = 2;

/**
 * Reads the properties from V8, which has the Unicode tables: one expression for each property runs over a text of the
 * code points. The text is created when the first property needs it.
 */
export function createUnicodeProperties(): UnicodeProperties {
  const known = new Map<string, Ranges>();
  const planes: string[] = [];

  function read(property: string): Ranges {
    if (planes.length === 0) {
      planes.push(...createPlanes());
    }
    const ranges = [
      ...planes.flatMap((plane) => rangesInPlane(plane, property)),
      ...[...uniformPlanes].flatMap((plane) => rangesInUniformPlane(plane, property)),
    ];
    const hasSurrogates = new RegExp(`\\p{${property}}`, 'u').test(String.fromCharCode(surrogates.first));
    return union(hasSurrogates ? [...ranges, surrogates.first, surrogates.last] : ranges);
  }

  return {
    rangesOf: (property, place) => {
      const ranges = known.get(property);
      if (ranges !== undefined) {
        return ranges;
      }
      const count = { value: known.size + 1, limit: limits.unicodeProperties };
      demandLimit('distinct Unicode properties', count, place);
      const created = read(property);
      known.set(property, created);
      return created;
    },
  };
}

function rangesInPlane(plane: string, property: string): Ranges {
  const ranges: number[] = [];
  for (const { index, 0: members } of plane.matchAll(new RegExp(`\\p{${property}}+`, 'gu'))) {
    const first = plane.codePointAt(index) ?? 0;
    const units = first > 0xffff ? 2 : 1;
    ranges.push(first, first + members.length / units - 1);
  }
  return ranges;
}

function rangesInUniformPlane(plane: number, property: string): Ranges {
  const [start, end] = [plane * planeSize, (plane + 1) * planeSize];
  const [last, ...others] = [end - noncharacters - 1, end - 2, end - 1];
  return [[start, last], ...others.map((one) => [one, one])].flatMap(([first = 0, until = 0]) =>
    rangesInPlane(String.fromCodePoint(first), property).length === 0 ? [] : [first, until],
  );
}

/** The code points of each plane. Surrogates are left out, because two of them would be another code point. */
function createPlanes(): readonly string[] {
  const planes: string[] = [];
  for (let start = 0; start <= lastCodePoint; start += planeSize) {
    if (start === 0) {
      planes.push(textOf(0, surrogates.first), textOf(surrogates.last + 1, planeSize));
    } else if (!uniformPlanes.has(start / planeSize)) {
      planes.push(textOf(start, start + planeSize));
    }
  }
  return planes;
}

function textOf(first: number, end: number): string {
  const parts: string[] = [];
  const partSize = 0x1000;
  for (let start = first; start < end; start += partSize) {
    const length = Math.min(partSize, end - start);
    parts.push(String.fromCodePoint(...Array.from({ length }, (_, index) => start + index)));
  }
  return parts.join('');
}
