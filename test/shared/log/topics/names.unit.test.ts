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

  it('retains each topic forever, and its dead letters for 30 days', () => {
    for (const name of topicNames) {
      const definition = definitionOf(fullTopicName('postrider.', name));
      expect(definition, name).to.deep.include({ partitions: 12, replication: 3 });
      expect(definition?.configuration, name).to.deep.equal({
        'min.insync.replicas': '2',
        'cleanup.policy': 'delete',
        'retention.ms': '-1',
        'retention.bytes': '-1',
        ...(name === 'events'
          ? { 'message.timestamp.type': 'LogAppendTime', 'compression.type': 'uncompressed' }
          : {}),
      });
      const letters = definitionOf(`postrider.${name}.dlq`);
      expect([letters?.partitions, letters?.configuration['retention.ms']], name).to.deep.equal([
        1,
        '2592000000',
      ]);
    }
  });

  it('compacts the keys of accounts, in segments of a minute', () => {
    expect(definitionOf('postrider.account-keys')?.configuration).to.deep.equal({
      'min.insync.replicas': '2',
      'cleanup.policy': 'compact',
      'segment.ms': '60000',
      'min.cleanable.dirty.ratio': '0.0',
      'delete.retention.ms': '86400000',
    });
  });

  it('retains the retry records of a tier for seven days longer than its delay', () => {
    const retentions = ['1s', '2h', '12h'].map(
      (name) => definitionOf(`postrider.deliveries.retry.${name}`)?.configuration['retention.ms'],
    );
    expect(retentions).to.deep.equal(['604801000', '612000000', '648000000']);
  });

  it('ends a segment before its indexes are full', () => {
    const largestEntryBytes = 12;
    const logBytesOfAnEntry = 4096;
    const entries = Number(initialConfiguration['segment.bytes']) / logBytesOfAnEntry;
    expect(entries * largestEntryBytes).to.be.below(Number(initialConfiguration['segment.index.bytes']));
  });

  it('requires a second replica in sync from three replicas on', () => {
    const inSync = [1, 2, 3, 5].map(
      (replication) => definitionOf('postrider.events', replication)?.configuration['min.insync.replicas'],
    );
    expect(inSync).to.deep.equal(['1', '1', '2', '2']);
  });

  it('sets the retention of events and deliveries alone', () => {
    const definitions = topicDefinitions({ ...settings, eventRetentionMs: 86_400_000 });
    const changed = definitions.filter(({ configuration }) => configuration['retention.ms'] === '86400000');
    expect(changed.map(({ topic }) => topic)).to.deep.equal(['postrider.events', 'postrider.deliveries']);
  });
});
