import { expect } from 'chai';
import { ConfigResourceTypes, type Message } from 'kafkajs';

import { encodeAccountKey, encodeAccountKeyDestroyed } from '../../../../shared/log/records/accountKeys.js';
import { accountKeysTopic, fullTopicName } from '../../../../shared/log/topics/names.js';
import type { OutgoingRecord, Tombstone } from '../../../../shared/log/encoding/record.js';
import { eventually } from '../../../support/eventually.js';
import { testIdentifier, testRecordId } from '../../../support/facts.js';
import { openTestLog, type TestLog } from '../../../support/log.js';
import { readTopic } from '../../../support/readTopic.js';
import { sealed } from '../../../support/webhookFacts.js';

const [gone, kept] = [testIdentifier('acct', 1), testIdentifier('acct', 2)];
const compactedWithinMs = 60_000;
/** The pause of the broker between two searches for segments to compact, in milliseconds. The default is 15 s. */
const cleanerBackoff = { name: 'log.cleaner.backoff.ms', value: '200' };

/** The compaction by the broker removes a destroyed key, so this test uses a real broker. */
describe('the topic of account keys', () => {
  let log: TestLog;
  before(async () => {
    log = await openTestLog({}, [accountKeysTopic]);
  });
  afterEach(() => setOnBrokers([]));

  const setOnBrokers = async (configEntries: { name: string; value: string }[]) => {
    const { brokers } = await log.admin.describeCluster();
    await log.admin.alterConfigs({
      validateOnly: false,
      resources: brokers.map(({ nodeId }) => ({
        type: ConfigResourceTypes.BROKER,
        name: String(nodeId),
        configEntries,
      })),
    });
  };

  const appendedAgo = async (seconds: number, records: readonly (OutgoingRecord | Tombstone)[]) => {
    const topic = fullTopicName(log.config.topics.prefix, accountKeysTopic);
    const producer = log.kafka.producer();
    await producer.connect();
    const timestamp = String(Date.now() - seconds * 1000);
    const messages = records.map(({ key, value }): Message => ({ key, value, partition: 0, timestamp }));
    await producer.send({ topic, messages });
    await producer.disconnect();
    return topic;
  };

  it('loses a destroyed key by compaction, and keeps the others', async () => {
    const context = { id: testRecordId(1), at: new Date() };
    const keyOf = (accountId: string) => encodeAccountKey(sealed(accountId), { ...context, accountId });
    const tombstone = encodeAccountKeyDestroyed({ ...context, accountId: gone });
    await appendedAgo(200, [keyOf(gone), keyOf(kept)]);
    await appendedAgo(135, [tombstone]);
    const topic = await appendedAgo(70, [tombstone]);
    await setOnBrokers([cleanerBackoff]);
    const keys = await eventually(
      'the compaction',
      async () => {
        const records = await readTopic(log, topic, 3);
        const left = records.filter(({ value }) => value !== null).map(({ key }) => String(key));
        return left.includes(gone) ? null : left;
      },
      compactedWithinMs,
    );
    expect(keys).to.deep.equal([kept]);
  });
});
