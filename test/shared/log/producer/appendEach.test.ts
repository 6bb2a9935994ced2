import { expect } from 'chai';

import { UnavailableError } from '../../../../shared/core/errors.js';
import { appendEach } from '../../../../shared/log/producer/appendEach.js';
import type { LogAppender, TogetherAppended } from '../../../../shared/log/producer/producer.js';
import { partitionOf } from '../../../../shared/log/topics/partition.js';
import { openTestLog, plainRecord, type TestLog } from '../../../support/log.js';
import { readTopic } from '../../../support/readTopic.js';

const partitions = 3;
const keys = Array.from({ length: 60 }, (_, index) => `key-${index}`);

/** An appender that notes its appends, and fails those of one partition. */
function recordingAppender(failing: number | null = null) {
  const appends: TogetherAppended[] = [];
  const appendTogether: LogAppender['appendTogether'] = (records) => {
    appends.push(records);
    const partition = partitionOf(records[0].key, partitions);
    return partition === failing
      ? Promise.reject(new UnavailableError('a partition is unavailable'))
      : Promise.resolve({ topic: 'events', partition, offset: 0 });
  };
  return { appends, appendTogether };
}

describe('appendEach', () => {
  it('makes one append for each partition', async () => {
    const log = recordingAppender();
    await appendEach(
      log,
      keys.map((key) => plainRecord('events', key)),
      partitions,
    );
    const ofAppends = log.appends.map(
      (records) => new Set(records.map(({ key }) => partitionOf(key, partitions))),
    );
    expect([log.appends.length, ofAppends.every(({ size }) => size === 1)]).to.deep.equal([partitions, true]);
  });

  it('splits records whose text has more bytes than characters', async () => {
    const log = recordingAppender();
    const record = { ...plainRecord('events', 'same'), headers: { ce_subject: '€'.repeat(2000) } };
    await appendEach(
      log,
      Array.from({ length: 200 }, () => record),
      partitions,
    );
    const bytes = log.appends.map((records) => records.length * 6000);
    expect([log.appends.length, Math.max(...bytes) <= 512 * 1024]).to.deep.equal([3, true]);
  });

  it('returns the failure of each record, and appends the others', async () => {
    const log = recordingAppender(1);
    const failures = await appendEach(
      log,
      keys.map((key) => plainRecord('events', key)),
      partitions,
    );
    expect(failures.map((failure) => failure !== null)).to.deep.equal(
      keys.map((key) => partitionOf(key, partitions) === 1),
    );
  });

  describe('with Kafka', () => {
    let log: TestLog;
    before(async () => {
      log = await openTestLog({ POSTRIDER_PARTITIONS: String(partitions) }, ['events']);
    });

    it('appends more than one request may contain to one partition, in order', async () => {
      const values = Array.from({ length: 12 }, (_, n) => `${n} ${'€'.repeat(80_000)}`);
      const records = values.map((value) => plainRecord('events', 'same', value));
      const failures = await appendEach(log.producer, records, partitions);
      const read = await readTopic(log, `${log.config.topics.prefix}events`, values.length);
      expect([failures, read.map(({ value }) => value?.toString().split(' ')[0])]).to.deep.equal([
        values.map(() => null),
        values.map((_, n) => String(n)),
      ]);
    });
  });
});
