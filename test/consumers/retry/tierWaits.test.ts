import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import type { Work } from '../../../shared/topics/work.js';
import { eventually } from '../../support/eventually.js';
import { openTestLog, plainRecord, type TestLog } from '../../support/log.js';
import { createSeeded } from '../../shared/kafka/seeded.js';
import { createTierMember, tierLog, workDueAt, type TierMember } from './tierMember.js';

/** A second, and the shortest tier. */
const allowedLatenessMs = 2000;
const longestWaitMs = 7000;
const stopMs = 1000;

describe('planned attempts in the tiers', function () {
  this.timeout(60_000);

  let log: TestLog;
  let members: TierMember[];

  beforeEach(async () => {
    log = await openTestLog();
    members = [];
  });

  afterEach(async () => {
    await Promise.all(members.map((member) => member.stop(stopMs)));
    await log.close();
  });

  const start = async () => {
    const member = createTierMember(log);
    members.push(member);
    await member.start((error) => {
      throw error;
    });
    return member;
  };

  const planAfter = async (delaysMs: readonly number[]): Promise<readonly Work[]> => {
    const { plan } = tierLog(log);
    const works = delaysMs.map((delayMs, index) => workDueAt(new Date(Date.now() + delayMs), index));
    await Promise.all(works.map((work) => plan(work)));
    return works;
  };

  const latenesses = (works: readonly Work[], { begun }: TierMember) =>
    works.flatMap(({ eventId, due }) =>
      begun.filter(({ work }) => work.eventId === eventId).map(({ at }) => at - due.getTime()),
    );

  const allBegun = (works: readonly Work[], member: TierMember) =>
    eventually(
      'all planned attempts',
      () => (member.begun.length >= works.length ? member.begun : null),
      longestWaitMs + 10_000,
    );

  it('run once each, never early, and late by a second and the shortest tier at most, whenever they are due', async () => {
    const member = await start();
    const random = createSeeded(31);
    const works = await planAfter(Array.from({ length: 300 }, () => Math.floor(random() * longestWaitMs)));
    await allBegun(works, member);
    const late = latenesses(works, member);
    expect(late).to.have.lengthOf(300);
    expect(Math.min(...late)).to.be.at.least(0);
    expect(Math.max(...late)).to.be.at.most(allowedLatenessMs);
  });

  it('run at once where they have become due while nobody was there, and in time where they have not', async () => {
    const works = await planAfter([200, 1500, 2500, 7000]);
    await pause(4000);
    const startedAt = Date.now();
    const member = await start();
    await allBegun(works, member);
    const [first = 0, second = 0, third = 0, last = 0] = latenesses(works, member);
    const startTook = member.begun[0] === undefined ? 0 : member.begun[0].at - startedAt;
    expect(Math.max(first, second, third)).to.be.at.most(4000 + startTook + allowedLatenessMs);
    expect(last).to.be.within(0, allowedLatenessMs);
  });

  it('cost neither memory nor time while nothing is due', async () => {
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

  it('go on behind a record that nobody can read', async () => {
    const [work] = await planAfter([1200]);
    await log.producer.append(plainRecord('deliveries.retry.1s', work?.eventId ?? ''));
    const works = [...(work === undefined ? [] : [work]), ...(await planAfter([1200]))];
    const member = await start();
    await allBegun(works, member);
    const counted = await member.metrics.deadLetters.get();
    expect(counted.values.map(({ value }) => value)).to.deep.equal([1]);
  });

  it('of one pair meet in one process, whatever tier they wait in', async () => {
    const first = await start();
    const second = await start();
    await eventually(
      'both to have partitions',
      async () => {
        const [work] = await planAfter([0]);
        await pause(1500);
        return work !== undefined && first.begun.length > 0 && second.begun.length > 0 ? true : null;
      },
      40_000,
    );
    const { plan } = tierLog(log);
    const works = await planAfter(Array<number>(20).fill(0));
    await Promise.all(works.map((work) => plan({ ...work, due: new Date(Date.now() + 5100) })));
    await eventually(
      'both copies of all',
      () => (works.every(({ eventId }) => membersOf(eventId).length === 2) ? true : null),
      20_000,
    );
    const apart = works.filter(({ eventId }) => new Set(membersOf(eventId)).size > 1);
    expect(apart).to.deep.equal([]);
  });

  const membersOf = (eventId: string) =>
    members.flatMap(({ begun }, index) =>
      begun.filter(({ work }) => work.eventId === eventId).map(() => index),
    );
});
