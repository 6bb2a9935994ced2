import { expect } from 'chai';
import { pino } from 'pino';

import { createKafkaClient, type Kafka } from '../../../../shared/log/client/client.js';
import type { Releasers } from '../../../../shared/runtime/lifecycle.js';
import type { Logger } from '../../../../shared/core/logger.js';
import type { RawRecord } from '../../../../shared/log/encoding/record.js';
import { createOpened } from '../../../support/opened.js';
import { eventually } from '../../../support/eventually.js';
import { openTestLog, plainRecord, type TestLog } from '../../../support/log.js';
import { isolatedSettings } from '../../../support/settings.js';
import { boundsOf } from '../window/bounds.js';
import { committedOffsets, endOffsets, groupOf, type Member, startMember } from '../group/member.js';
import { startReadingRole } from '../group/roleProcess.js';
import { positionOf } from '../window/workRecord.js';

type Warning = Readonly<Record<string, unknown>>;

/** For each step of the group and of the brokers, which a busy machine holds up. */
const waitMs = 40_000;
const records = 100;
const deletedBelow = 50;
const window = 5;
const deletionMessage = 'the log has deleted records that the group has not read';

describe('a topic that is deleted under a running consumer', function () {
  this.timeout(240_000);

  const opened = createOpened();
  let exitCode: number | null;
  let again: Again;

  before(async () => {
    [exitCode, again] = await Promise.all([exitAfterDeletion(opened), readAfterDeletion(opened)]);
  });

  after(() => opened.releaseAll());

  it('ends the role with exit code 1', () => {
    expect(exitCode).to.equal(1);
  });

  it('ends a consumer where the topic is made again: the offsets that it knows are of other records', () => {
    expect(again.losses.join()).to.match(
      /^Error: partition 0 of .* continues at 0, below 20, which was already committed$/,
    );
  });

  it('has all records of the new topic handled after the restart', () => {
    expect(again.notHandled).to.deep.equal([]);
  });
});

describe('records that are deleted before they are read', () => {
  const opened = createOpened();
  let log: TestLog;
  let handled: string[];
  let warnings: Warning[];
  let release: AbortController;

  beforeEach(async () => {
    log = await openTestLog({ POSTRIDER_PARTITIONS: '1' });
    opened.add('log', log.close);
    handled = [];
    warnings = [];
    release = new AbortController();
    await appendRecords(log, records);
  });

  afterEach(() => opened.releaseAll());

  /** A member that is done with its first records at once, and with all others when it is released. */
  const startHolding = async () => {
    const member = await startMember(
      { ...log, logger: loggerInto(warnings) },
      {
        bounds: boundsOf(window),
        handle: async (record, tenure) => {
          if (record.offset >= window) {
            await whenAborted(AbortSignal.any([release.signal, tenure]));
          }
          if (tenure.aborted) {
            return 'abandoned';
          }
          handled.push(positionOf(record));
          return 'done';
        },
      },
    );
    opened.add('member', () => member.stop(1000));
    return member;
  };

  const whenHolding = (member: Member) =>
    eventually('records that are held', async () =>
      member.unfinished() === window && (await committedOffsets(log))[0] === window ? true : null,
    );

  const deleteRecords = () =>
    log.admin.deleteTopicRecords({
      topic: `${log.config.topics.prefix}events`,
      partitions: [{ partition: 0, offset: String(deletedBelow) }],
    });

  const finish = async () => {
    release.abort();
    await eventually('the last commit', async () =>
      (await committedOffsets(log))[0] === records ? true : null,
    );
    await eventually('a warning', () => (deletions().length > 0 ? true : null));
  };

  /** A group that nobody has used yet may have no coordinator for a moment, which is a warning too. */
  const deletions = () => warnings.filter(({ msg }) => msg === deletionMessage);

  const positions = (from: number, end: number) =>
    Array.from({ length: end - from }, (_, index) => `0/${from + index}`);

  const warningOf = (from: number) => ({
    level: pino.levels.values['warn'],
    group: groupOf(log),
    topic: `${log.config.topics.prefix}events`,
    partition: 0,
    from,
    records: deletedBelow - from,
    msg: deletionMessage,
  });

  it('are missed by a running consumer, with a warning that says how many, and no others are', async () => {
    const member = await startHolding();
    await whenHolding(member);
    await deleteRecords();
    await finish();
    // What it held had been fetched before.
    expect(handled).to.deep.equal([...positions(0, window * 2), ...positions(deletedBelow, records)]);
    expect(deletions()).to.deep.equal([warningOf(window * 2)]);
  });

  it('are missed by one that starts, with a warning that says how many, and no others are', async () => {
    const former = await startHolding();
    await whenHolding(former);
    await former.stop(1000);
    await deleteRecords();
    await startHolding();
    await finish();
    expect(handled).to.deep.equal([...positions(0, window), ...positions(deletedBelow, records)]);
    expect(deletions()).to.deep.equal([warningOf(window)]);
  });
});

async function appendRecords(log: TestLog, count: number): Promise<void> {
  const keys = Array.from({ length: count }, (_, index) => `record-${index}`);
  await Promise.all(keys.map((key) => log.producer.append(plainRecord('events', key))));
}

/** The exit code of a role whose topic is deleted and stays away. */
async function exitAfterDeletion(opened: Releasers): Promise<number | null> {
  const settings = await isolatedSettings();
  const log = await openTestLog(settings);
  opened.add('log', log.close);
  const { exitCode, kill } = await startReadingRole(settings);
  opened.add('role', kill);
  await log.admin.deleteTopics({ topics: [`${settings['POSTRIDER_TOPIC_PREFIX']}events`] });
  return exitCode;
}

interface Again {
  readonly losses: readonly Error[];
  /** Positions of the new topic that nobody has handled after the restart. */
  readonly notHandled: readonly string[];
}

/** A topic is deleted and made again with more records than it had, and the consumer is started again once it has ended. */
async function readAfterDeletion(opened: Releasers): Promise<Again> {
  const log = await openTestLog({ POSTRIDER_PARTITIONS: '1' });
  opened.add('log', log.close);
  const topic = `${log.config.topics.prefix}events`;
  const handled = new Set<string>();
  const start = async (kafka: Kafka) => {
    const handle = ({ key }: RawRecord) => {
      handled.add(String(key));
      return Promise.resolve('done' as const);
    };
    const member = await startMember({ ...log, kafka }, { handle });
    opened.add('member', () => member.stop(1000));
    return member;
  };
  await appendRecords(log, 20);
  const warnings: Warning[] = [];
  const former = await start(
    createKafkaClient(log.config.kafka, { clientId: 'former', logger: loggerInto(warnings) }),
  );
  await eventually('a commit', async () => ((await committedOffsets(log))[0] === 20 ? true : null), waitMs);
  // A coordinator that is not there yet has a consumer restarted too: those restarts are not the one that is waited for.
  warnings.length = 0;
  await log.admin.deleteTopics({ topics: [topic] });
  // Until then kafkajs holds on to its position, and would read on in the new topic at the same offset.
  await eventually(
    'a consumer without a topic',
    () => warnings.find(({ msg }) => String(msg).startsWith('Restarting the consumer')) ?? null,
    waitMs,
  );
  // kafkajs would give up where the broker that it asks has not heard of the new topic yet.
  await log.admin.createTopics({ waitForLeaders: false, topics: [{ topic, numPartitions: 1 }] });
  await eventually('records in it', () => appendRecords(log, 60).then(() => true), waitMs);
  await eventually('the end of the consumer', () => (former.losses.length > 0 ? true : null), waitMs);
  handled.clear();
  await start(log.kafka);
  const ends = await endOffsets(log);
  // The former member may still have to be missed by the group before the new one is given anything.
  await eventually(
    'the last commit',
    async () => ((await committedOffsets(log)).join() === ends.join() ? true : null),
    waitMs,
  );
  const keys = Array.from({ length: 60 }, (_, index) => `record-${index}`);
  return { losses: former.losses, notHandled: keys.filter((key) => !handled.has(key)) };
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}

/** A logger whose warnings are kept. */
function loggerInto(warnings: Warning[]): Logger {
  return pino(
    { level: 'warn', base: null, timestamp: false },
    { write: (line: string) => warnings.push(JSON.parse(line) as Warning) },
  );
}
