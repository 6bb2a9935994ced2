import { expect } from 'chai';

import {
  fullTopicName,
  initialConfiguration,
  tierTopics,
  topicDefinitions,
  topicNames,
} from '../../../../shared/log/topics/names.js';

const settings = { prefix: 'postrider.', partitions: 12, replication: 3, eventRetentionMs: null };

function definitionOf(topic: string, replication = 3) {
  return topicDefinitions({ ...settings, replication }).find((definition) => definition.topic === topic);
}

describe('topicDefinitions', () => {
  it('names each topic and its dead letter topic', () => {
    expect(topicDefinitions(settings).map(({ topic }) => topic)).to.have.members([
      'postrider.events',
      'postrider.events.dlq',
      'postrider.webhooks',
      'postrider.webhooks.dlq',
      'postrider.deliveries',
      'postrider.deliveries.dlq',
      'postrider.accounts',
      'postrider.accounts.dlq',
      'postrider.replays',
      'postrider.replays.dlq',
      'postrider.event-types',
      'postrider.event-types.dlq',
      'postrider.tenants',
      'postrider.tenants.dlq',
      ...tierTopics.map((name) => `postrider.${name}`),
      'postrider.account-keys',
    ]);
  });

  for (const name of topicNames) {
    it(`retains ${name} forever, in the configured number of partitions`, () => {
      expect(definitionOf(fullTopicName('postrider.', name))).to.deep.equal({
        topic: `postrider.${name}`,
        partitions: 12,
        replication: 3,
        configuration: {
          'min.insync.replicas': '2',
          'cleanup.policy': 'delete',
          'retention.ms': '-1',
          'retention.bytes': '-1',
          ...(name === 'events'
            ? { 'message.timestamp.type': 'LogAppendTime', 'compression.type': 'uncompressed' }
            : {}),
        },
        changing: ['events', 'deliveries'].includes(name) ? ['retention.ms'] : [],
      });
    });

    it(`retains the dead letters of ${name} for 30 days, in one partition`, () => {
      expect(definitionOf(`postrider.${name}.dlq`)).to.deep.equal({
        topic: `postrider.${name}.dlq`,
        partitions: 1,
        replication: 3,
        configuration: {
          'min.insync.replicas': '2',
          'cleanup.policy': 'delete',
          'retention.ms': '2592000000',
          'max.message.bytes': '2097152',
        },
        changing: [],
      });
    });
  }

  it('compacts the keys of accounts, in segments of a minute', () => {
    expect(definitionOf('postrider.account-keys')?.configuration).to.deep.equal({
      'min.insync.replicas': '2',
      'cleanup.policy': 'compact',
      'segment.ms': '60000',
      'min.cleanable.dirty.ratio': '0.0',
      'delete.retention.ms': '86400000',
    });
  });

  for (const [name, retentionMs] of Object.entries({
    '1s': 604_801_000,
    '5s': 604_805_000,
    '30s': 604_830_000,
    '3m': 604_980_000,
    '20m': 606_000_000,
    '2h': 612_000_000,
    '12h': 648_000_000,
  })) {
    it(`retains the retry records of the tier ${name} for seven days longer than its delay`, () => {
      expect(definitionOf(`postrider.deliveries.retry.${name}`)).to.deep.equal({
        topic: `postrider.deliveries.retry.${name}`,
        partitions: 12,
        replication: 3,
        configuration: {
          'min.insync.replicas': '2',
          'cleanup.policy': 'delete',
          'retention.ms': String(retentionMs),
          'retention.bytes': '-1',
        },
        changing: [],
      });
    });
  }

  it('ends a segment before its indexes are full', () => {
    const largestEntryBytes = 12;
    const logBytesOfAnEntry = 4096;
    const entries = Number(initialConfiguration['segment.bytes']) / logBytesOfAnEntry;
    expect(entries * largestEntryBytes).to.be.below(Number(initialConfiguration['segment.index.bytes']));
  });

  for (const [replication, inSync] of [
    [1, '1'],
    [2, '1'],
    [3, '2'],
    [5, '2'],
  ] as const) {
    it(`requires ${inSync} of ${replication} replicas in sync`, () => {
      expect(definitionOf('postrider.events', replication)?.configuration['min.insync.replicas']).to.equal(
        inSync,
      );
    });
  }

  for (const name of topicNames) {
    const kept = ['events', 'deliveries'].includes(name) ? '86400000' : '-1';
    it(`sets the retention of ${name} to ${kept} ms if events are retained for a day`, () => {
      const definitions = topicDefinitions({ ...settings, eventRetentionMs: 86_400_000 });
      const found = definitions.find(({ topic }) => topic === `postrider.${name}`);
      expect(found?.configuration['retention.ms']).to.equal(kept);
    });
  }
});
