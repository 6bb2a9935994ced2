import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';

import { startTestBroker, type TestBroker } from '../../../support/broker.js';
import { eventually } from '../../../support/eventually.js';
import { openTestLog, plainRecord, type TestLog } from '../../../support/log.js';
import { forkConsumer } from './consumerProcess.js';
import { journalSize, readJournal } from './journal.js';
import { committedOffsets, endOffsets, startMember } from './member.js';
import { createSeeded } from './seeded.js';

const groups = 4;
const killsOfGroup = 5;
const records = 3000;
/** The broker of this test allows it. With the default session, twenty kills would cost minutes without progress. */
const sessionTimeoutMs = 800;
const longestLifeBytes = 8000;
const recoveryMs = 10_000;

/** The committed offsets and the journal after a kill. */
interface Kill {
  readonly signal: string | null;
  readonly committed: readonly number[];
  readonly begun: readonly string[];
  readonly done: ReadonlySet<string>;
}

interface KilledRun {
  readonly kills: readonly Kill[];
  readonly ends: readonly number[];
  readonly begun: readonly string[];
  readonly done: ReadonlySet<string>;
}

describe('a consumer that is killed', () => {
  let directory: string;
  let broker: TestBroker;
  let outcomes: readonly KilledRun[];
  let recovery: Promise<Recovery>;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-journals-'));
    broker = await startTestBroker({ 'group.min.session.timeout.ms': 500 });
    recovery = measureRecovery();
    // Its own test awaits it last. Without a handler, an earlier failure would end the process.
    recovery.catch(() => undefined);
    outcomes = await Promise.all(Array.from({ length: groups }, (_, index) => killRepeatedly(index + 1)));
  });

  after(async () => {
    await recovery.catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
  });

  const openLog = () => openTestLog({ KAFKA_BROKERS: broker.address });

  /** One group with one member, which is killed repeatedly at random points of its work. The last member may finish. */
  async function killRepeatedly(seed: number): Promise<KilledRun> {
    const log = await openLog();
    const random = createSeeded(seed);
    const journal = join(directory, `group-${seed}`);
    await appendRecords(log, records);
    const kills: Kill[] = [];
    let consumer = await forkConsumer();
    for (let life = 1; life <= killsOfGroup; life += 1) {
      const next = forkConsumer();
      const written = await journalSize(journal);
      consumer.start({ config: log.config, journal, seed: seed * 1000 + life, group: { sessionTimeoutMs } });
      const point = written + 1 + Math.floor(random() * longestLifeBytes);
      await eventually(`life ${life} of group ${seed}`, async () =>
        (await journalSize(journal)) >= point ? true : null,
      );
      const signal = await consumer.kill();
      kills.push({ signal, ...(await readJournal(journal)), committed: await committedOffsets(log) });
      consumer = await next;
    }
    const ends = await endOffsets(log);
    consumer.start({ config: log.config, journal, seed, group: { sessionTimeoutMs } });
    await eventually(`the end of group ${seed}`, async () =>
      (await committedOffsets(log)).join() === ends.join() ? true : null,
    );
    await consumer.kill();
    await log.close();
    return { kills, ends, ...(await readJournal(journal)) };
  }

  const kills = () => outcomes.flatMap((outcome) => outcome.kills);

  it('is killed twenty times', () => {
    expect(kills().map(({ signal }) => signal)).to.deep.equal(Array(groups * killsOfGroup).fill('SIGKILL'));
  });

  it('has records in progress at nearly every kill', () => {
    const busy = kills().filter(({ begun, done }) => begun.some((position) => !done.has(position)));
    expect(busy.length).to.be.at.least(15);
  });

  it('loses no record: each is handled at least once', () => {
    const missing = outcomes.flatMap(({ ends, done }) =>
      positionsBelow(ends).filter((position) => !done.has(position)),
    );
    expect(missing).to.deep.equal([]);
  });

  it('has at no kill a committed offset above an unfinished record', () => {
    const passed = kills().flatMap(({ committed, done }) =>
      positionsBelow(committed).filter((position) => !done.has(position)),
    );
    expect(passed).to.deep.equal([]);
  });

  it('repeats only records from the committed offset on', () => {
    const belowCommit = outcomes.flatMap((outcome) =>
      outcome.kills.flatMap(({ committed, begun }, index) => {
        const following = outcome.kills[index + 1] ?? outcome;
        return following.begun.slice(begun.length).filter((position) => isBelow(committed, position));
      }),
    );
    expect(belowCommit).to.deep.equal([]);
  });

  it('has committed progress before most kills, so that it repeats little', () => {
    const moved = outcomes.flatMap((outcome) =>
      outcome.kills.filter(
        ({ committed }, index) => sum(committed) > sum(outcome.kills[index - 1]?.committed ?? []),
      ),
    );
    expect(moved.length).to.be.at.least(10);
  });

  it('leaves its partitions to other members within ten seconds, with the default settings', async () => {
    const { partitionsLeft, tookMs } = await recovery;
    expect(partitionsLeft).to.be.oneOf([1, 2]);
    expect(tookMs).to.be.lessThan(recoveryMs);
  });

  /** The time until the remaining member has handled the records in a killed member's partitions. */
  async function measureRecovery(): Promise<Recovery> {
    const log = await openLog();
    const handled = new Set<string>();
    const survivor = await startMember(log, {
      handle: ({ partition, offset }) => {
        handled.add(`${partition}/${offset}`);
        return Promise.resolve('done');
      },
    });
    const killed = await forkConsumer();
    killed.start({ config: log.config, journal: join(directory, 'recovery'), seed: 1, group: {} });
    const left = await eventually('partitions of the other member', () => {
      const assigned = survivor.assignments.at(-1) ?? [];
      return assigned.length === 3 ? null : assigned.length;
    });
    await killed.kill();
    const killedAt = performance.now();
    await appendRecords(log, 100);
    const positions = positionsBelow(await endOffsets(log));
    await eventually('all records at the remaining member', () =>
      positions.every((position) => handled.has(position)) ? true : null,
    );
    const tookMs = performance.now() - killedAt;
    await survivor.stop(1000);
    await log.close();
    return { partitionsLeft: left, tookMs };
  }
});

interface Recovery {
  /** The number of the three partitions that the remaining member had before the kill. */
  readonly partitionsLeft: number;
  readonly tookMs: number;
}

function appendRecords(log: TestLog, count: number): Promise<unknown> {
  const keys = Array.from({ length: count }, (_, index) => `record-${index}`);
  return Promise.all(keys.map((key) => log.producer.append(plainRecord('events', key))));
}

/** Every position of each partition below its offset. */
function positionsBelow(offsets: readonly number[]): readonly string[] {
  return offsets.flatMap((end, partition) =>
    Array.from({ length: end }, (_, offset) => `${partition}/${offset}`),
  );
}

function isBelow(offsets: readonly number[], position: string): boolean {
  const [partition = 0, offset = 0] = position.split('/').map(Number);
  return offset < (offsets[partition] ?? 0);
}

function sum(offsets: readonly number[]): number {
  return offsets.reduce((total, offset) => total + offset, 0);
}
