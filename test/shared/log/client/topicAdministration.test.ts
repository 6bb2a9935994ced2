import { expect } from 'chai';
import { ConfigResourceTypes } from 'kafkajs';

import { carryOut, planTopics } from '../../../../shared/log/client/topicAdministration.js';
import { topicDefinitions, type TopicSettings } from '../../../../shared/log/topics/names.js';
import { eventually } from '../../../support/eventually.js';
import { openTestLog, type TestLog } from '../../../support/log.js';

/** One topic of each kind, because each topic costs time. */
const topics = ['events', 'deliveries', 'webhooks', 'webhooks.dlq'];
const dayMs = 24 * 60 * 60 * 1000;

describe('topic administration', () => {
  let log: TestLog;

  beforeEach(async () => {
    log = await openTestLog({ POSTRIDER_PARTITIONS: '3' }, topics);
  });

  afterEach(() => log.close());

  const planWith = (changes: Partial<TopicSettings> = {}) =>
    planTopics(
      log.admin,
      topicDefinitions({ ...log.config.topics, ...changes }).filter((definition) =>
        topics.map(topic).includes(definition.topic),
      ),
    );

  const errorOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => '',
      (error: unknown) => (error as Error).message,
    );

  const topic = (name: string) => `${log.config.topics.prefix}${name}`;

  const deleteOne = async () => {
    await log.admin.deleteTopics({ topics: [topic('webhooks.dlq')] });
    await eventually('the deletion', async () =>
      (await log.admin.listTopics()).includes(topic('webhooks.dlq')) ? null : true,
    );
  };

  it('creates a missing topic, unless it has more replicas than the cluster has brokers', async () => {
    await deleteOne();
    expect(await errorOf(planWith({ replication: 3 }))).to.equal(
      'POSTRIDER_REPLICATION is 3, but the Kafka cluster has only 1 broker: add brokers, or set it to 1.',
    );
    const plan = await planWith();
    await carryOut(log.admin, plan);
    expect(plan.missing.map((missing) => missing.topic)).to.deep.equal([topic('webhooks.dlq')]);
    await eventually('no missing topic', async () => ((await planWith()).missing.length === 0 ? true : null));
  });

  const indexBytesOf = async (name: string) => {
    const { resources } = await log.admin.describeConfigs({
      includeSynonyms: false,
      resources: [
        { type: ConfigResourceTypes.TOPIC, name: topic(name), configNames: ['segment.index.bytes'] },
      ],
    });
    return resources.flatMap(({ configEntries }) => configEntries.map(({ configValue }) => configValue));
  };

  it('creates a topic with small indexes', async () => {
    expect(await indexBytesOf('events')).to.deep.equal(['1048576']);
  });

  it('neither changes nor reports the index size of an existing topic', async () => {
    const configEntries = [{ name: 'segment.index.bytes', value: '10485760' }];
    await log.admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: topic('webhooks.dlq'), configEntries }],
    });
    await eventually('the larger indexes', async () =>
      (await indexBytesOf('webhooks.dlq')).includes('10485760') ? true : null,
    );
    const { warnings, changes } = await planWith();
    const named = [...warnings, ...changes].map(({ property }) => property);
    expect(named).not.to.include('segment.index.bytes');
  });

  it('rejects another number of partitions, and names the existing number', async () => {
    expect(await errorOf(planWith({ partitions: 6 }))).to.equal(
      `The topic ${topic('events')} has 3 partitions, but POSTRIDER_PARTITIONS is 6. ` +
        'The number of partitions never changes. Set POSTRIDER_PARTITIONS to 3.',
    );
  });

  it('warns of topics with fewer replicas than the settings require', async () => {
    const { warnings } = await planWith({ replication: 2 });
    const [first] = warnings;
    expect([first, new Set(warnings.map(({ property }) => property))]).to.deep.equal([
      { topic: topic('events'), property: 'replication.factor', found: '1', wanted: '2' },
      new Set(['replication.factor']),
    ]);
  });

  describe('with a retention of events', () => {
    const month = { eventRetentionMs: 30 * dayMs };
    const retentions = () => ['events', 'deliveries'].map((name) => [topic(name), '-1', String(30 * dayMs)]);

    /** Waits until the settings require no change. The brokers show a new configuration a moment after its change. */
    const untilUnchanged = (settings: Partial<TopicSettings>) =>
      eventually('topics as the settings require', async () => {
        expect(await planWith(settings)).to.deep.equal({ missing: [], changes: [], warnings: [] });
        return true;
      });

    it('changes the topics events and deliveries, and no other', async () => {
      const { changes, warnings } = await planWith(month);
      const changed = changes.map((change) => [change.topic, change.found, change.wanted]);
      expect([changed, warnings]).to.deep.equal([retentions(), []]);
    });

    it('can be reverted, which changes no other configuration of the topics', async () => {
      await carryOut(log.admin, await planWith(month));
      await untilUnchanged(month);
      await carryOut(log.admin, await planWith());
      await untilUnchanged({});
    });
  });

  it('warns of a retention that would lose webhooks, and does not change it', async () => {
    const configEntries = [{ name: 'retention.ms', value: String(dayMs) }];
    await log.admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: topic('webhooks'), configEntries }],
    });
    const warnings = await eventually('the warning', async () => {
      const plan = await planWith();
      await carryOut(log.admin, plan);
      return plan.warnings.length > 0 ? (await planWith()).warnings : null;
    });
    expect(warnings).to.deep.equal([
      { topic: topic('webhooks'), property: 'retention.ms', found: String(dayMs), wanted: '-1' },
    ]);
  });
});
