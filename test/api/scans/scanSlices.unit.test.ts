import { expect } from 'chai';

import type { ReadSlice } from '../../../api/scans/eventSlices.js';
import { defaultScanLimits, scanSlices } from '../../../api/scans/scanSlices.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { start, testIdentifier } from '../../support/facts.js';

/** The position of an event by its number. */
function place(number: number) {
  return { created: start, id: testIdentifier('evt', number) };
}

/**
 * A scan of a list of a million events. Each event of a slice takes some time, and a slice fails if it is longer than
 * MongoDB has time for.
 */
function scanOf({ msOfEvent, failsAfterMs = Infinity }: { msOfEvent: number; failsAfterMs?: number }) {
  let now = 0;
  let read = 0;
  const lengths: number[] = [];
  const readSlice: ReadSlice = (_place, limit) => {
    now += limit * msOfEvent;
    if (now > failsAfterMs) {
      return Promise.reject(new UnavailableError('MongoDB does not respond'));
    }
    lengths.push(limit);
    const first = place(read);
    read += limit;
    return Promise.resolve({ first, last: place(read - 1), isLast: read >= 1_000_000, ranges: [] });
  };
  const limits = { ...defaultScanLimits, now: () => now };
  const scan = scanSlices({ readSlice, place: null, limits }, () =>
    Promise.resolve({ reached: null, isFull: false }),
  );
  return { scan, lengths, elapsedMs: () => now, read: () => read };
}

describe('a scan of a list in slices', () => {
  for (const [what, msOfEvent] of [
    ['fast', 0.01],
    ['slow', 0.5],
    ['very slow', 5],
  ] as const) {
    it(`ends at most half a second late if the reads are ${what}`, async () => {
      const { scan, elapsedMs, read } = scanOf({ msOfEvent });
      const { last, isEnd } = await scan;
      expect([last, isEnd]).to.deep.equal([place(read() - 1), false]);
      expect(elapsedMs()).to.be.within(1000, 1500);
    });
  }

  it('reads longer slices while they take a short time', async () => {
    const { scan, lengths } = scanOf({ msOfEvent: 0.001 });
    await scan;
    expect(lengths.slice(0, 5)).to.deep.equal([256, 1024, 4096, 16_384, 20_000]);
  });

  it('ends with the slices that it has read if MongoDB becomes too slow', async () => {
    const { scan, read } = scanOf({ msOfEvent: 0.01, failsAfterMs: 20 });
    const { first, last, isEnd } = await scan;
    expect([first, last, isEnd]).to.deep.equal([place(0), place(read() - 1), false]);
  });

  it('fails if MongoDB is too slow for the first slice', async () => {
    const { scan } = scanOf({ msOfEvent: 1, failsAfterMs: 200 });
    const outcome: unknown = await scan.catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(UnavailableError);
  });
});
