import type { Result } from './result.js';

/** In how many blocks a scenario was measured, and what other programs took of the machine meanwhile. */
export interface Noise {
  readonly pairs: number;
  readonly starts: number;
  /** The largest share of the CPU time in a block that counts, from 0 to 1. */
  readonly largestShare: number;
  /** The number of discarded blocks. */
  readonly repeats: number;
  /** The number of blocks that count although the share is above the bound. */
  readonly noisyBlocks: number;
}

/** With a larger share of the machine's CPU time, from 0 to 1, other programs have influenced a block. It is then repeated. */
export const toleratedOthersShare = 0.05;

/** @returns null if there are no results */
export function noiseOf(results: readonly Result[]): Noise | null {
  return results.length === 0
    ? null
    : {
        pairs: new Set(results.map(({ pair }) => pair)).size,
        starts: new Set(results.map(({ start }) => start)).size,
        largestShare: Math.max(...results.map(({ othersShare }) => othersShare)),
        repeats: results.reduce((sum, { repeats }) => sum + repeats, 0),
        noisyBlocks: results.filter(({ othersShare }) => othersShare > toleratedOthersShare).length,
      };
}

/** `10 pairs of blocks, 2 starts. Other programs took at most 1.2 % of the CPU time in a block. 3 blocks were repeated.` */
export function noiseText({ pairs, starts, largestShare, repeats, noisyBlocks }: Noise): string {
  return [
    `${counted(pairs, 'pair')} of blocks, ${counted(starts, 'start')}.`,
    `Other programs took at most ${percentOf(largestShare)} of the CPU time in a block.`,
    `${counted(repeats, 'block')} ${repeats === 1 ? 'was' : 'were'} repeated.`,
    ...(noisyBlocks === 0
      ? []
      : [`Blocks with more than ${percentOf(toleratedOthersShare)}: ${noisyBlocks}.`]),
  ].join(' ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function percentOf(share: number): string {
  return `${(share * 100).toFixed(1).replace(/\.0$/, '')} %`;
}
