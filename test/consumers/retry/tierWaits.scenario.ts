import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import type { RetryRecord } from '../../../shared/log/records/retry.js';
import { createSeeded } from '../../shared/log/group/seeded.js';
import { eventually } from '../../support/eventually.js';
import { openTestLog, plainRecord } from '../../support/log.js';
import { createOpened } from '../../support/opened.js';
import { createRetryGroup, retryLog, retryDueAt, type RetryGroup } from './retryGroup.js';

/** One second plus the delay of the shortest tier. */
const allowedLatenessMs = 2000;
const longestWaitMs = 7000;
const stopMs = 1000;

type Scene = Awaited<ReturnType<typeof openScene>>;

const opened = createOpened();

/** A log with its own tiers, and actions on it. */
async function openScene() {
  const log = await openTestLog();
  const members: RetryGroup[] = [];
  return {
    log,
    members,
    start: async (): Promise<RetryGroup> => {
      const member = createRetryGroup(log);
      members.push(member);
      opened.add('member', () => member.stop(stopMs));
      await member.start((error) => {
        throw error;
      });
      return member;
    },
    scheduleAfter: async (delaysMs: readonly number[]): Promise<readonly RetryRecord[]> => {
      const { schedule } = retryLog(log);
      const { partitions } = log.config.topics;
      const retries = delaysMs.map((delayMs, index) =>
        retryDueAt(new Date(Date.now() + delayMs), index, partitions),
      );
      await Promise.all(retries.map((retry) => schedule(retry)));
      return retries;
    },
  };
}

function latenesses(retries: readonly RetryRecord[], { handled }: RetryGroup): readonly number[] {
  return retries.flatMap(({ eventId, due }) =>
    handled.filter(({ retry }) => retry.eventId === eventId).map(({ at }) => at - due.getTime()),
  );
}

function untilAllHandled(
  retries: readonly RetryRecord[],
  member: RetryGroup,
): Promise<RetryGroup['handled']> {
  return eventually(
    'all retries to be handled',
    () => (member.handled.length >= retries.length ? member.handled : null),
    longestWaitMs + 10_000,
  );
}

const waitedMs = 4000;

/** Each run takes seconds, most of which are waiting. */
const runs = {
  dueAtAnyTime: async ({ start, scheduleAfter }: Scene) => {
    const member = await start();
    const random = createSeeded(31);
    const retries = await scheduleAfter(
      Array.from({ length: 300 }, () => Math.floor(random() * longestWaitMs)),
    );
    await untilAllHandled(retries, member);
    return latenesses(retries, member);
  },
  lateStart: async ({ start, scheduleAfter }: Scene) => {
    const retries = await scheduleAfter([200, 1500, 2500, 7000]);
    await pause(waitedMs);
    const startedAt = Date.now();
    const member = await start();
    await untilAllHandled(retries, member);
    const startTookMs = (member.handled[0]?.at ?? startedAt) - startedAt;
    return { late: latenesses(retries, member), startTookMs };
  },
  unreadable: async ({ log, start, scheduleAfter }: Scene) => {
    const before = await scheduleAfter([1200]);
    await log.producer.append(plainRecord('deliveries.retry.1s', before[0]?.eventId ?? ''));
    const retries = [...before, ...(await scheduleAfter([1200]))];
    const member = await start();
    await untilAllHandled(retries, member);
    return (await member.metrics.deadLetters.get()).values
      .filter(({ value }) => value > 0)
      .map(({ value }) => value);
  },
  copies: async ({ log, members, start, scheduleAfter }: Scene) => {
    const [first, second] = [await start(), await start()];
    await eventually('both members to have partitions', async () => {
      await scheduleAfter([0]);
      await pause(500);
      return first.handled.length > 0 && second.handled.length > 0 ? true : null;
    });
    const membersOf = (eventId: string) =>
      members.flatMap(({ handled }, index) =>
        handled.filter(({ retry }) => retry.eventId === eventId).map(() => index),
      );
    const { schedule } = retryLog(log);
    const retries = await scheduleAfter(Array<number>(20).fill(0));
    await Promise.all(retries.map((retry) => schedule({ ...retry, due: new Date(Date.now() + 5100) })));
    await eventually('both copies of all retries', () =>
      retries.every(({ eventId }) => membersOf(eventId).length === 2) ? true : null,
    );
    return retries.filter(({ eventId }) => new Set(membersOf(eventId)).size > 1);
  },
};

type Results = { readonly [Name in keyof typeof runs]: ReturnType<(typeof runs)[Name]> };

/** Runs all in parallel, each on its own log. A failure fails only the test that awaits it. */
async function runAll(): Promise<Results> {
  const [first, second, third, fourth] = await Promise.all([
    openScene(),
    openScene(),
    openScene(),
    openScene(),
  ]);
  const results: Results = {
    dueAtAnyTime: runs.dueAtAnyTime(first),
    lateStart: runs.lateStart(second),
    unreadable: runs.unreadable(third),
    copies: runs.copies(fourth),
  };
  await Promise.allSettled(Object.values(results));
  return results;
}

describe('the retries in the tiers', () => {
  let results: Results;
  before(async () => {
    results = await runAll();
    await opened.releaseAll();
  });
  after(opened.releaseAll);

  it('are handled once each, never early, and late by at most a second plus the shortest tier', async () => {
    const late = await results.dueAtAnyTime;
    expect(late).to.have.lengthOf(300);
    expect(Math.min(...late)).to.be.at.least(0);
    expect(Math.max(...late)).to.be.at.most(allowedLatenessMs);
  });

  it('are handled at once if they became due while no process was running, and otherwise on time', async () => {
    const { late, startTookMs } = await results.lateStart;
    const [first = 0, second = 0, third = 0, last = 0] = late;
    expect(Math.max(first, second, third)).to.be.at.most(waitedMs + startTookMs + allowedLatenessMs);
    expect(last).to.be.within(0, allowedLatenessMs);
  });

  it('continue after an unreadable record', async () => {
    expect(await results.unreadable).to.deep.equal([1]);
  });

  it('of one delivery are handled by one process, in any tier', async () => {
    expect(await results.copies).to.deep.equal([]);
  });

  it('cost neither memory nor CPU time while none is due', async () => {
    const { start, scheduleAfter } = await openScene();
    await scheduleAfter(Array<number>(10_000).fill(600_000));
    const member = await start();
    await pause(1000);
    const before = { cpu: process.cpuUsage(), heap: process.memoryUsage().heapUsed };
    await pause(2000);
    const used = process.cpuUsage(before.cpu);
    expect((used.user + used.system) / 1000).to.be.lessThan(400);
    expect(process.memoryUsage().heapUsed - before.heap).to.be.lessThan(32 * 1024 * 1024);
    expect(member.handled).to.deep.equal([]);
  });
});
