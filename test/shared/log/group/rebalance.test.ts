import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { eventually } from '../../../support/eventually.js';
import { openTestLog, plainRecord } from '../../../support/log.js';
import { boundsOf } from '../window/bounds.js';
import { committedOffsets, endOffsets, type Member, startMember } from './member.js';
import {
  overlapsOf,
  partitionsOutOfOrder,
  positionOf,
  recordHandlings,
  repeatsInOneTenure,
  type Handling,
} from '../window/workRecord.js';
import { startWriting } from '../producer/writing.js';

const partitions = 6;
/** A member gets its new assignment when it has joined again. Before that, other members may have started. */
const handOverMs = 2000;
const longMs = 300;
/** A member that loses a partition waits for half of this time, so it abandons some of these records. */
const longestMs = 3_000;
/** Longer than the session timeout, which is the shortest that brokers allow. */
const slowRecordMs = 7_000;
const sessionTimeoutMs = 6_000;

function durationOf(offset: number): number {
  if (offset % 100 === 0) {
    return longestMs;
  }
  return offset % 20 === 0 ? longMs : 5;
}

describe('a rebalance while records are in progress', function () {
  // More than the deadlines of all steps together.
  this.timeout(300_000);

  let slowRecord: Promise<SlowRecord>;
  let handlings: Handling[];
  let written: readonly string[];
  let outOfOrderAtJoins: number;
  let tenures: number;

  before(async () => {
    slowRecord = workOnSlowRecord();
    // Its own tests await it last. Without a handler, an earlier failure would end the process.
    slowRecord.catch(() => undefined);
    await joinAndLeave();
  });

  /** Three members join one after the other, and two of them leave again, while records are appended. */
  async function joinAndLeave(): Promise<void> {
    const log = await openTestLog({ POSTRIDER_PARTITIONS: String(partitions) }, ['events']);
    handlings = [];
    outOfOrderAtJoins = 0;
    const writing = startWriting(log.producer, { callers: 4 });
    const join = async (name: string) => {
      const handle = recordHandlings(name, handlings, durationOf);
      const member = await startMember(log, { handle });
      await eventually(`work of member ${name}`, () => (handlingsOf(name).length > 100 ? true : null));
      outOfOrderAtJoins += await eventually(
        'work done out of order',
        () => partitionsOutOfOrder(handlings).length || null,
      );
      return member;
    };
    const leave = async (member: Member, left: readonly Member[]) => {
      await member.stop(5000);
      await eventually('all partitions at the remaining members', () =>
        shareOf(left) === partitions ? true : null,
      );
    };

    const first = await join('first');
    const second = await join('second');
    const third = await join('third');
    await leave(second, [first, third]);
    await leave(first, [third]);
    writing.stop();
    await writing.done;
    written = [...writing.acknowledged.values()].map(positionOf);
    await eventually('all records', () => (unfinished().length === 0 ? true : null));
    tenures = new Set(handlings.map(({ tenure }) => tenure)).size;
    await third.stop(5000);
    await log.close();
  }

  const handlingsOf = (name: string) => handlings.filter(({ member }) => member === name);

  const unfinished = () => {
    const done = new Set(handlings.filter(({ result }) => result === 'done').map(positionOf));
    return written.filter((position) => !done.has(position));
  };

  it('moves partitions while their records are in progress', () => {
    const abandoned = handlings.filter(({ result }) => result === 'abandoned');
    expect([tenures > partitions * 2, abandoned.length > 0]).to.deep.equal([true, true]);
  });

  it('skips no record', () => {
    expect(unfinished()).to.deep.equal([]);
  });

  it('has no record in progress at two members for longer than the hand-over', () => {
    const long = overlapsOf(handlings).filter(({ overlapMs }) => overlapMs > handOverMs);
    expect(long).to.deep.equal([]);
  });

  it('starts no record of a partition that its member has lost', () => {
    expect(handlings.filter(({ begunTooLate }) => begunTooLate)).to.deep.equal([]);
  });

  it('happens while records are finished out of order', () => {
    expect(outOfOrderAtJoins).to.be.greaterThan(0);
  });

  it('repeats no record of a partition that stays at its member', () => {
    expect(repeatsInOneTenure(handlings)).to.deep.equal([]);
  });

  it('continues with a partition whose window was full when it was lost, once it has returned', async () => {
    const log = await openTestLog({ POSTRIDER_PARTITIONS: '2' }, ['events']);
    const release = new AbortController();
    const handled = new Set<string>();
    const wait = async (tenure: AbortSignal) => {
      await pause(60_000, undefined, { signal: AbortSignal.any([tenure, release.signal]) }).catch(
        () => undefined,
      );
    };
    const keys = Array.from({ length: 60 }, (_, index) => `record-${index}`);
    await Promise.all(keys.map((key) => log.producer.append(plainRecord('events', key))));
    const stays = await startMember(log, {
      bounds: boundsOf(5),
      handle: async (record, tenure) => {
        await wait(tenure);
        handled.add(positionOf(record));
        return tenure.aborted ? 'abandoned' : 'done';
      },
    });
    await eventually('full windows', () => (stays.unfinished() === 10 ? true : null));
    const guest = await startMember(log, {
      handle: async (_record, tenure) => {
        await wait(tenure);
        return 'abandoned';
      },
    });
    await eventually('a partition at the guest', () => (shareOf([guest]) === 1 ? true : null));
    await guest.stop(5000);
    release.abort();
    await eventually('all records', () => (handled.size === keys.length ? true : null));
    await stays.stop(1000);
    await log.close();
    expect(stays.assignments.map(({ length }) => length)).to.deep.equal([2, 1, 2]);
  });

  it('neither comes from a record that takes longer than the session timeout, nor do other records wait for it', async () => {
    const { tookMs, joins, inItsPartition, inOthers } = await slowRecord;
    expect(tookMs).to.be.at.least(slowRecordMs - 1);
    expect([joins, inItsPartition > 2, inOthers > 2]).to.deep.equal([1, true, true]);
  });

  it('finds a slow record above the committed offset of its partition alone, until it is done', async () => {
    const { committedMeanwhile, committedElsewhere, committedAfterwards, ends } = await slowRecord;
    expect([committedMeanwhile, committedElsewhere > 0]).to.deep.equal([0, true]);
    expect(committedAfterwards).to.deep.equal(ends);
  });
});

/** The number of partitions in the latest assignments of some members. */
function shareOf(members: readonly Member[]): number {
  return members.reduce((sum, { assignments }) => sum + (assignments.at(-1)?.length ?? 0), 0);
}

interface SlowRecord {
  readonly tookMs: number;
  readonly joins: number;
  /** Records that came while it was worked on, and how long the slowest of them took from its append. */
  readonly inItsPartition: number;
  readonly inOthers: number;
  /** The highest committed offset of its partition, and of the other one, while it was in progress. */
  readonly committedMeanwhile: number;
  readonly committedElsewhere: number;
  readonly committedAfterwards: readonly number[];
  readonly ends: readonly number[];
}

/** One member handles a slow record, the first of its partition, while others are appended to both partitions. */
async function workOnSlowRecord(): Promise<SlowRecord> {
  const log = await openTestLog({ POSTRIDER_PARTITIONS: '2' }, ['events']);
  const slow = await log.producer.append(plainRecord('events', 'slow'));
  const handled = new Set<string>();
  const took: number[] = [];
  const member = await startMember(log, {
    group: { sessionTimeoutMs },
    handle: async (record) => {
      const begunAt = performance.now();
      if (positionOf(record) === positionOf(slow)) {
        await pause(slowRecordMs);
        took.push(performance.now() - begunAt);
      }
      handled.add(positionOf(record));
      return 'done';
    },
  });
  const others: { readonly partition: number; readonly tookMs: number }[] = [];
  let committed: readonly number[] = [];
  const isDone = () => took.length > 0;
  while (!isDone()) {
    const appendedAt = performance.now();
    const position = await log.producer.append(plainRecord('events', `other-${others.length}`));
    await eventually('another record', () => (handled.has(positionOf(position)) ? true : null));
    others.push({ partition: position.partition, tookMs: performance.now() - appendedAt });
    const now = await committedOffsets(log);
    committed = isDone() ? committed : now;
    await pause(100);
  }
  const ends = await endOffsets(log);
  const committedAfterwards = await eventually('the last commit', async () => {
    const now = await committedOffsets(log);
    return now.join() === ends.join() ? now : null;
  });
  await member.stop(1000);
  await log.close();
  const inItsPartition = others.filter(({ partition }) => partition === slow.partition).length;
  return {
    tookMs: took[0] ?? 0,
    joins: member.assignments.length,
    inItsPartition,
    inOthers: others.length - inItsPartition,
    committedMeanwhile: committed[slow.partition] ?? 0,
    committedElsewhere: committed[1 - slow.partition] ?? 0,
    committedAfterwards,
    ends,
  };
}
