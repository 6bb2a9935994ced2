import { expect } from 'chai';

import { createLogProducer } from '../../../../shared/log/producer/producer.js';
import { partitionOf } from '../../../../shared/log/topics/partition.js';
import { openTestLog, plainRecord, type TestLog } from '../../../support/log.js';
import { readTopic } from '../../../support/readTopic.js';

describe('the log producer', () => {
  let log: TestLog;

  // Each test has a topic of its own.
  before(async () => {
    log = await openTestLog({ POSTRIDER_PARTITIONS: '3' }, ['events', 'webhooks', 'deliveries', 'replays']);
  });

  const topicOf = (name: string) => `${log.config.topics.prefix}${name}`;

  it('appends a record to the partition of its key, and resolves with its position', async () => {
    const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`);
    const positions = await Promise.all(keys.map((key) => log.producer.append(plainRecord('events', key))));
    const records = await readTopic(log, topicOf('events'), keys.length);
    const found = new Map(records.map(({ key, partition, offset }) => [String(key), { partition, offset }]));
    expect(positions.map(({ partition, offset }) => ({ partition, offset }))).to.deep.equal(
      keys.map((key) => found.get(key)),
    );
    expect(positions.map(({ partition }) => partition)).to.deep.equal(keys.map((key) => partitionOf(key, 3)));
  });

  it('keeps the order of the records of one key', async () => {
    const values = Array.from({ length: 200 }, (_, index) => String(index));
    await Promise.all(values.map((value) => log.producer.append(plainRecord('webhooks', 'same', value))));
    const records = await readTopic(log, topicOf('webhooks'), values.length);
    expect(records.map(({ value }) => value?.toString())).to.deep.equal(values);
  });

  it('appends the records of one decision next to each other', async () => {
    const together = ['x', 'y', 'z'].map((value) => plainRecord('deliveries', 'same', value));
    const [first, ...others] = together;
    if (first === undefined) {
      throw new Error('there are three');
    }
    await Promise.all([
      ...Array.from({ length: 50 }, () => log.producer.append(plainRecord('deliveries', 'same', '-'))),
      log.producer.appendTogether([first, ...others]),
      ...Array.from({ length: 50 }, () => log.producer.append(plainRecord('deliveries', 'same', '-'))),
    ]);
    const records = await readTopic(log, topicOf('deliveries'), 103);
    expect(records.map(({ value }) => value?.toString()).join('')).to.match(/^-*xyz-*$/);
  });

  it('appends more records than fit into one request', async () => {
    const large = 'x'.repeat(250 * 1024);
    const positions = await Promise.all(
      Array.from({ length: 12 }, () => log.producer.append(plainRecord('replays', 'same', large))),
    );
    expect(positions.map(({ offset }) => offset)).to.deep.equal([...Array(12).keys()]);
  });

  it('rejects an append at once if the waiting records have reached their limit', async () => {
    const producer = createLogProducer(log.kafka, {
      ...log.config.topics,
      deliveryTimeoutMs: 10_000,
      maximumWaitingBytes: 1024 * 1024,
    });
    await producer.connect();
    const large = 'x'.repeat(100 * 1024);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 15 }, () => producer.append(plainRecord('events', 'same', large))),
    );
    await producer.close();
    // On a slow disk some waiting records are not acknowledged in time. They do not count as rejected for the limit.
    const rejected = outcomes.filter(
      (outcome) => outcome.status === 'rejected' && String(outcome.reason).includes('too many records'),
    ).length;
    // 10 of these records fit into the limit.
    expect(rejected).to.equal(15 - 10);
  });

  it('does not create a topic that is missing', async () => {
    const prefix = `${log.config.topics.prefix}missing.`;
    const producer = createLogProducer(log.kafka, {
      prefix,
      partitions: 3,
      deliveryTimeoutMs: 500,
      maximumWaitingBytes: 1024,
    });
    await producer.connect();
    await producer.append(plainRecord('events', 'key')).catch(() => null);
    await producer.close();
    expect(await log.admin.listTopics()).not.to.include(`${prefix}events`);
  });
});
