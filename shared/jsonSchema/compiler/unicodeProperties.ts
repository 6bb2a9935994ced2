import type { Place } from '../check/place.js';
import { lastCodePoint, union, type Ranges } from './characterClasses.js';
import { demandLimit, limits } from './limits.js';

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
