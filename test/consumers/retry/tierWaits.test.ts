import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import type { RetryRecord } from '../../../shared/log/records/retry.js';
import { eventually } from '../../support/eventually.js';
import { openTestLog, plainRecord } from '../../support/log.js';
import { createOpened } from '../../support/opened.js';
import { createSeeded } from '../../shared/log/group/seeded.js';
import { createTierMember, tierLog, workDueAt, type TierMember } from './tierMember.js';

/** A second, and the shortest tier. */
const allowedLatenessMs = 2000;
const longestWaitMs = 7000;
const stopMs = 1000;

type Scene = Awaited<ReturnType<typeof openScene>>;

const opened = createOpened();

/** Tiers of its own, and what may happen there. */
async function openScene() {
  const log = await openTestLog();
  opened.add('log', log.close);
  const members: TierMember[] = [];
  return {
    log,
    members,
    start: async (): Promise<TierMember> => {
      const member = createTierMember(log);
      members.push(member);
      opened.add('member', () => member.stop(stopMs));
      await member.start((error) => {
        throw error;
      });
      return member;
    },
    planAfter: async (delaysMs: readonly number[]): Promise<readonly RetryRecord[]> => {
      const { schedule } = tierLog(log);
      const works = delaysMs.map((delayMs, index) => workDueAt(new Date(Date.now() + delayMs), index));
      await Promise.all(works.map((work) => schedule(work)));
      return works;
    },
  };
}

function latenesses(works: readonly RetryRecord[], { begun }: TierMember): readonly number[] {
  return works.flatMap(({ eventId, due }) =>
    begun.filter(({ work }) => work.eventId === eventId).map(({ at }) => at - due.getTime()),
  );
}

function allBegun(works: readonly RetryRecord[], member: TierMember): Promise<TierMember['begun']> {
  return eventually(
    'all planned attempts',
    () => (member.begun.length >= works.length ? member.begun : null),
    longestWaitMs + 10_000,
  );
}

const waitedMs = 4000;

/** Each takes seconds, most of which is waiting. */
const stories = {
  dueAtAnyTime: async ({ start, planAfter }: Scene) => {
    const member = await start();
    const random = createSeeded(31);
    const works = await planAfter(Array.from({ length: 300 }, () => Math.floor(random() * longestWaitMs)));
    await allBegun(works, member);
    return latenesses(works, member);
  },
  lateStart: async ({ start, planAfter }: Scene) => {
    const works = await planAfter([200, 1500, 2500, 7000]);
    await pause(waitedMs);
    const startedAt = Date.now();
    const member = await start();
    await allBegun(works, member);
    const startTookMs = (member.begun[0]?.at ?? startedAt) - startedAt;
    return { late: latenesses(works, member), startTookMs };
  },
  unreadable: async ({ log, start, planAfter }: Scene) => {
    const before = await planAfter([1200]);
    await log.producer.append(plainRecord('deliveries.retry.1s', before[0]?.eventId ?? ''));
    const works = [...before, ...(await planAfter([1200]))];
    const member = await start();
    await allBegun(works, member);
    return (await member.metrics.deadLetters.get()).values
      .filter(({ value }) => value > 0)
      .map(({ value }) => value);
  },
  copies: async ({ log, members, start, planAfter }: Scene) => {
    const [first, second] = [await start(), await start()];
    await eventually(
      'both to have partitions',
      async () => {
        await planAfter([0]);
        await pause(500);
        return first.begun.length > 0 && second.begun.length > 0 ? true : null;
      },
      40_000,
    );
    const membersOf = (eventId: string) =>
      members.flatMap(({ begun }, index) =>
        begun.filter(({ work }) => work.eventId === eventId).map(() => index),
      );
    const { schedule } = tierLog(log);
    const works = await planAfter(Array<number>(20).fill(0));
    await Promise.all(works.map((work) => schedule({ ...work, due: new Date(Date.now() + 5100) })));
    await eventually(
      'both copies of all',
      () => (works.every(({ eventId }) => membersOf(eventId).length === 2) ? true : null),
      20_000,
    );
    return works.filter(({ eventId }) => new Set(membersOf(eventId)).size > 1);
  },
};

type Told = { readonly [Name in keyof typeof stories]: ReturnType<(typeof stories)[Name]> };

/** All at once, each in a scene of its own. What fails, fails the test that asks for it. */
async function tellAll(): Promise<Told> {
  const [first, second, third, fourth] = await Promise.all([
    openScene(),
    openScene(),
    openScene(),
    openScene(),
  ]);
  const told: Told = {
    dueAtAnyTime: stories.dueAtAnyTime(first),
    lateStart: stories.lateStart(second),
    unreadable: stories.unreadable(third),
    copies: stories.copies(fourth),
  };
  await Promise.allSettled(Object.values(told));
  return told;
}

describe('planned attempts in the tiers', function () {
  this.timeout(90_000);

  let told: Told;
  before(async () => {
    told = await tellAll();
    await opened.releaseAll();
  });
  after(opened.releaseAll);

  it('run once each, never early, and late by a second and the shortest tier at most, whenever they are due', async () => {
    const late = await told.dueAtAnyTime;
    expect(late).to.have.lengthOf(300);
    expect(Math.min(...late)).to.be.at.least(0);
    expect(Math.max(...late)).to.be.at.most(allowedLatenessMs);
  });

  it('run at once where they have become due while nobody was there, and in time where they have not', async () => {
    const { late, startTookMs } = await told.lateStart;
    const [first = 0, second = 0, third = 0, last = 0] = late;
    expect(Math.max(first, second, third)).to.be.at.most(waitedMs + startTookMs + allowedLatenessMs);
    expect(last).to.be.within(0, allowedLatenessMs);
  });

  it('go on behind a record that nobody can read', async () => {
    expect(await told.unreadable).to.deep.equal([1]);
  });

  it('of one pair meet in one process, whatever tier they wait in', async () => {
    expect(await told.copies).to.deep.equal([]);
  });

  it('cost neither memory nor time while nothing is due', async () => {
    const { start, planAfter } = await openScene();
    await planAfter(Array<number>(10_000).fill(600_000));
    const member = await start();
    await pause(1000);
    const before = { cpu: process.cpuUsage(), heap: process.memoryUsage().heapUsed };
    await pause(2000);
    const used = process.cpuUsage(before.cpu);
    expect((used.user + used.system) / 1000).to.be.lessThan(400);
    expect(process.memoryUsage().heapUsed - before.heap).to.be.lessThan(32 * 1024 * 1024);
    expect(member.begun).to.deep.equal([]);
  });
});
