import { expect } from 'chai';

import { createDeadLetters } from '../../../../shared/log/deadLetters/deadLetters.js';
import { createMetrics } from '../../../../shared/runtime/metrics.js';
import { openTestLog, type TestLog } from '../../../support/log.js';
import { readTopic, type TopicRecord } from '../../../support/readTopic.js';

describe('a dead letter', () => {
  let log: TestLog;
  let letter: TopicRecord | undefined;
  const metrics = createMetrics();
  const key = Buffer.from([0, 1, 254, 255]);
  const value = Buffer.from([255, 254, 0, 10, 13]);

  before(async () => {
    log = await openTestLog({}, ['events.dlq']);
    const { prefix } = log.config.topics;
    const producer = log.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    const deadLetters = createDeadLetters({
      producer,
      prefix,
      group: 'a-group',
      clock: () => new Date('2026-11-21T10:00:00.000Z'),
      logger: log.logger,
      metrics,
    });
    // Every object has a property with the last name. Unpatched, kafkajs would add that function to the values, and fail.
    const headers = Object.fromEntries([
      ['ce_id', Buffer.from([255, 0])],
      ['other', Buffer.from('x')],
      ['constructor', Buffer.from('y')],
    ]);
    const position = { topic: 'events', partition: 1, offset: 42, timestamp: 0 } as const;
    await deadLetters.append({ ...position, key, value, headers }, 'the value of the record is not JSON');
    await producer.disconnect();
    [letter] = await readTopic(log, `${prefix}events.dlq`, 1);
  });

  it('keeps key and value byte for byte', () => {
    expect([letter?.key, letter?.value]).to.deep.equal([key, value]);
  });

  it('keeps the headers byte for byte', () => {
    const kept = ['ce_id', 'other', 'constructor'].map((name) => letter?.headers?.[name]);
    expect(kept).to.deep.equal([Buffer.from([255, 0]), Buffer.from('x'), Buffer.from('y')]);
  });

  it('contains the reason, the group, the position and the time of the rejection', () => {
    const added = Object.entries(letter?.headers ?? {}).filter(([name]) => name.startsWith('dlq_'));
    expect(Object.fromEntries(added.map(([name, text]) => [name, String(text)]))).to.deep.equal({
      dlq_reason: 'the value of the record is not JSON',
      dlq_group: 'a-group',
      dlq_topic: `${log.config.topics.prefix}events`,
      dlq_partition: '1',
      dlq_offset: '42',
      dlq_time: '2026-11-21T10:00:00.000Z',
    });
  });

  it('is counted', async () => {
    expect(await metrics.text()).to.include(
      `postrider_dead_letters_total{topic="${log.config.topics.prefix}events"} 1`,
    );
  });
});
