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

/** The limit for each step of the group and of the brokers, which a busy machine delays. */
const waitMs = 40_000;
const records = 100;
const deletedBelow = 50;
const window = 5;
const deletionMessage = 'Kafka has deleted records that the consumer group has not read';

describe('the deletion of a topic that a consumer reads', function () {
  this.timeout(240_000);

  const opened = createOpened();
  let exitCode: number | null;
  let recreated: RecreatedTopic;

  before(async () => {
    [exitCode, recreated] = await Promise.all([exitAfterDeletion(opened), readAfterDeletion(opened)]);
  });

  after(() => opened.releaseAll());

  it('ends the role with exit code 1', () => {
    expect(exitCode).to.equal(1);
  });

  it('ends the consumer if the topic is created again, because its offsets belong to other records', () => {
    expect(recreated.losses.join()).to.match(
      /^Error: partition 0 of .* was recreated or truncated: the consumer continues at offset 0, below offset 20, which was already committed$/,
    );
  });

  it('loses no record of the new topic, because the restarted consumer handles all of them', () => {
    expect(recreated.notHandled).to.deep.equal([]);
  });
});

describe('records that the log deletes before they are read', function () {
  this.timeout(240_000);
  const opened = createOpened();
  let log: TestLog;
  let handled: string[];
  let warnings: Warning[];
  let release: AbortController;

  beforeEach(async () => {
    log = await openTestLog({ POSTRIDER_PARTITIONS: '1' });
    handled = [];
    warnings = [];
    release = new AbortController();
    await appendRecords(log, records);
  });

  afterEach(() => opened.releaseAll());

  /** A member that handles its first records at once, and all others when the test releases them. */
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
    eventually(
      'records that wait for their release',
      async () =>
        member.unfinished() === window && (await committedOffsets(log))[0] === window ? true : null,
      waitMs,
    );

  const deleteRecords = () =>
    log.admin.deleteTopicRecords({
      topic: `${log.config.topics.prefix}events`,
      partitions: [{ partition: 0, offset: String(deletedBelow) }],
    });

  const finish = async () => {
    release.abort();
    await eventually(
      'the last commit',
      async () => ((await committedOffsets(log))[0] === records ? true : null),
      waitMs,
    );
    await eventually('a warning', () => (deletions().length > 0 ? true : null));
  };

  /** Only the warnings of deleted records. A new group may have no coordinator for a moment, which is a warning too. */
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

  it('are skipped by a running consumer, which logs their number and skips no other record', async () => {
    const member = await startHolding();
    await whenHolding(member);
    await deleteRecords();
    await finish();
    // The records of its window were fetched before the deletion.
    expect(handled).to.deep.equal([...positions(0, window * 2), ...positions(deletedBelow, records)]);
    expect(deletions()).to.deep.equal([warningOf(window * 2)]);
  });

  it('are skipped by a consumer that starts, which logs their number and skips no other record', async () => {
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

/** The exit code of a role whose topic is deleted and not created again. */
async function exitAfterDeletion(opened: Releasers): Promise<number | null> {
  const settings = await isolatedSettings();
  const log = await openTestLog(settings);
  const { exitCode, kill } = await startReadingRole(settings);
  opened.add('role', kill);
  await log.admin.deleteTopics({ topics: [`${settings['POSTRIDER_TOPIC_PREFIX']}events`] });
  return exitCode;
}

interface RecreatedTopic {
  readonly losses: readonly Error[];
  /** The keys of the new topic's records that the restarted consumer has not handled. */
  readonly notHandled: readonly string[];
}

/** Deletes a topic, creates it again with more records than before, and restarts the consumer after its end. */
async function readAfterDeletion(opened: Releasers): Promise<RecreatedTopic> {
  const log = await openTestLog({ POSTRIDER_PARTITIONS: '1' });
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
  // Earlier restarts, such as those for want of a coordinator, are not the one that this test waits for.
  warnings.length = 0;
  await log.admin.deleteTopics({ topics: [topic] });
  // Before this restart kafkajs keeps its position, and would continue in the new topic at the same offset.
  await eventually(
    'a consumer that has lost its topic',
    () => warnings.find(({ msg }) => String(msg).startsWith('Restarting the consumer')) ?? null,
    waitMs,
  );
  // With `waitForLeaders` kafkajs would give up if the broker that it asks does not know the new topic yet.
  await log.admin.createTopics({ waitForLeaders: false, topics: [{ topic, numPartitions: 1 }] });
  await eventually('records in the new topic', () => appendRecords(log, 60).then(() => true), waitMs);
  await eventually('the end of the consumer', () => (former.losses.length > 0 ? true : null), waitMs);
  handled.clear();
  await start(log.kafka);
  const ends = await endOffsets(log);
  // The group may have to notice first that the former member has left, before it assigns partitions to the new one.
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

/** A logger that appends its warnings to a list. */
function loggerInto(warnings: Warning[]): Logger {
  return pino(
    { level: 'warn', base: null, timestamp: false },
    { write: (line: string) => warnings.push(JSON.parse(line) as Warning) },
  );
}
