import type { AST } from '@eslint-community/regexpp';

/** Sorted ranges of code points, alternating first and last. */
export type Ranges = readonly number[];

export const lastCodePoint = 0x10ffff;

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
export function union(ranges: Ranges): Ranges {
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
