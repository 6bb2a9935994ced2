import { toleratedOthersShare } from './processes/othersShare.js';
import type { Block } from './results/report.js';

/** What one measurement of a block yields. */
export type MeasuredBlock = Pick<Block, 'samples' | 'othersShare'>;

/** A measured block of one member of the pair. */
export interface BlockOf<Member> extends MeasuredBlock, Pick<Block, 'pair' | 'repeats'> {
  readonly member: Member;
}

/** A range of consecutive pairs, by their numbers. The numbers of all pairs of a scenario start with 1. */
export interface PairRange {
  readonly first: number;
  readonly count: number;
}

export interface BlockMeasurement<Member> {
  /** Called before a block if the block before was one of another member. It makes the member as warm as after its own block. */
  readonly leadIn: (member: Member) => Promise<unknown>;
  readonly measureBlock: (member: Member) => Promise<MeasuredBlock>;
}

const mostRepeatsOfABlock = 2;

/**
 * Measures pairs of blocks in the order ABBA, so that a drift of the machine's speed favors no member. A noisy block is repeated
 * immediately, because the blocks of a pair must be close in time. All blocks together have at most half as many repetitions as there
 * are pairs, so that a run ends. If each attempt is noisy, the quietest one counts.
 */
export async function measurePairs<Member>(
  members: readonly Member[],
  { first, count }: PairRange,
  { leadIn, measureBlock }: BlockMeasurement<Member>,
): Promise<readonly BlockOf<Member>[]> {
  const blocks: BlockOf<Member>[] = [];
  let repeatsLeft = Math.floor(count / 2);

  /** Measures a block, and repeats it while it is noisy. */
  const measureQuietly = async (member: Member): Promise<Attempts> => {
    const attempts: Attempts = [await measureBlock(member)];
    while (isNoisy(attempts) && attempts.length <= mostRepeatsOfABlock && repeatsLeft > 0) {
      repeatsLeft -= 1;
      attempts.push(await measureBlock(member));
    }
    return attempts;
  };

  for (let index = 0; index < count; index += 1) {
    const pair = first + index;
    for (const member of index % 2 === 0 ? members : members.toReversed()) {
      await (blocks.at(-1)?.member === member ? null : leadIn(member));
      const attempts = await measureQuietly(member);
      blocks.push({ ...quietestOf(attempts), member, pair, repeats: attempts.length - 1 });
    }
  }
  return blocks;
}

type Attempts = [MeasuredBlock, ...MeasuredBlock[]];

function isNoisy(attempts: Attempts): boolean {
  return quietestOf(attempts).othersShare > toleratedOthersShare;
}

function quietestOf([first, ...others]: Attempts): MeasuredBlock {
  return others.reduce((quietest, one) => (one.othersShare < quietest.othersShare ? one : quietest), first);
}
