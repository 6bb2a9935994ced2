import { UnavailableError } from '../../shared/core/errors.js';
import type { ListPosition } from '../http/paging.js';
import type { ReadSlice, Slice } from './eventSlices.js';

/** The limits of a scan. */
export interface ScanLimits {
  /** The time after which a scan ends with the slice that it reads, in milliseconds. */
  readonly maximumMs: number;
  /** The number of events in the first slice, in the shortest and in the longest one. */
  readonly lengths: { readonly first: number; readonly shortest: number; readonly longest: number };
  /** A monotonic clock. */
  readonly now: () => number;
}

export const defaultScanLimits: ScanLimits = {
  maximumMs: 1000,
  lengths: { first: 256, shortest: 64, longest: 20_000 },
  now: () => performance.now(),
};

export interface Scan {
  readonly limits: ScanLimits;
  readonly readSlice: ReadSlice;
  /** The position at which the scan begins; null for the beginning of the list. */
  readonly place: ListPosition | null;
}

/** The part of a slice that was read. */
export interface ReadPart {
  /** The position up to which the slice was read; null if it was read to its end. */
  readonly reached: ListPosition | null;
  /** Whether the page is full, so that the scan ends. */
  readonly isFull: boolean;
}

export interface Scanned {
  /** The first scanned event; null if the list has no event beyond the position. */
  readonly first: ListPosition | null;
  /** The position up to which the list was scanned. */
  readonly last: ListPosition | null;
  /** Whether the list has no event beyond `last`. */
  readonly isEnd: boolean;
  readonly isFull: boolean;
}

/** The time that a slice should take, in milliseconds. */
const sliceMs = 100;

type ReadPartOf = (slice: Slice, hasTime: () => boolean) => Promise<ReadPart>;

/**
 * Scans a list slice by slice, until the page is full, the list ends, or the time has passed. If MongoDB becomes too
 * slow, the scan ends with the slices that it has read.
 * @throws UnavailableError if the read model is unavailable, incomplete or too slow, and no slice was read
 */
export async function scanSlices(
  { readSlice, place, limits: { now, lengths, maximumMs } }: Scan,
  read: ReadPartOf,
): Promise<Scanned> {
  const deadline = now() + maximumMs;
  const hasTime = () => now() < deadline;
  let scanned: Scanned = { first: null, last: place, isEnd: false, isFull: false };
  let length = lengths.first;
  try {
    do {
      const startedAt = now();
      const slice = await readSlice(scanned.last, length);
      if (slice === null) {
        return { ...scanned, isEnd: true };
      }
      const part = await read(slice, hasTime);
      scanned = afterPart(scanned, slice, part);
      const next = length * growth(part, now() - startedAt);
      length = Math.round(Math.min(lengths.longest, Math.max(lengths.shortest, next)));
    } while (!scanned.isEnd && !scanned.isFull && hasTime());
  } catch (error) {
    if (!(error instanceof UnavailableError) || scanned.first === null) {
      throw error;
    }
  }
  return scanned;
}

function afterPart(scanned: Scanned, slice: Slice, { reached, isFull }: ReadPart): Scanned {
  return {
    first: scanned.first ?? slice.first,
    last: reached ?? slice.last,
    isEnd: reached === null && slice.isLast && !isFull,
    isFull,
  };
}

/** The factor from a slice to the next one. A slice that was not read to its end was too long. */
function growth({ reached }: ReadPart, elapsedMs: number): number {
  return reached === null ? Math.min(4, Math.max(0.5, sliceMs / elapsedMs)) : 0.5;
}
