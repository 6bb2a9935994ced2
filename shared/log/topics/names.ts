import { tiers, type Tier } from '../../domain/deliveries/schedule.js';

/**
 * The topic of the event types. Records of the topic are sealed, because examples may contain the data of customers.
 */
export const eventTypesTopic = 'event-types';

/** The topics of the log with dead letters, without their prefix. docs/topics.md describes the records. */
export const topicNames = [
  'events',
  'webhooks',
  'deliveries',
  'accounts',
  'replays',
  eventTypesTopic,
  'tenants',
] as const;

/** The topics of the retry tiers, whose records are internal. */
export type TierTopic = `deliveries.retry.${Tier['name']}`;

/**
 * The topic of the accounts' data keys. The topic is compacted, so that a destroyed data key disappears from the log.
 */
export const accountKeysTopic = 'account-keys';

export type TopicName = (typeof topicNames)[number] | typeof accountKeysTopic | TierTopic;

export interface TopicSettings {
  /** The prefix of each topic's name, `postrider.` by default. */
  readonly prefix: string;
  /**
   * The number of partitions of each topic. The number of partitions never changes, because another number would move
   * keys to other partitions.
   */
  readonly partitions: number;
  readonly replication: number;
  /** The retention of `events` and `deliveries` in milliseconds; null for unlimited. */
  readonly eventRetentionMs: number | null;
}

export interface TopicDefinition {
  readonly topic: string;
  readonly partitions: number;
  readonly replication: number;
  readonly configuration: Readonly<Record<string, string>>;
  /**
   * The names of the configuration properties that follow a changeable setting. `carryOut` changes the listed
   * properties on an existing topic.
   */
  readonly changing: readonly string[];
}

const forever = '-1';
const dayMs = 24 * 60 * 60 * 1000;
const deadLetterRetentionMs = 30 * dayMs;
/**
 * The maximum size of a dead letter, in bytes. The maximum size of a dead letter is twice the broker's default, because
 * a dead letter adds headers to a record of any size.
 */
const largestDeadLetterBytes = 2 * 1024 * 1024;
/**
 * Kafka never compacts the newest segment of a log. With the first append after `accountKeysSegmentMs`, a new segment
 * begins. So after `accountKeysSegmentMs`, a second tombstone lets compaction apply the first tombstone.
 */
export const accountKeysSegmentMs = 60_000;
/**
 * The retention of a retry tier after the release of a record. Kafka deletes a retry record that no process reads
 * within the retention.
 */
const tierRetentionMs = 7 * dayMs;

/**
 * The configuration of a topic to which other producers may append. The brokers set the append time, because the clocks
 * of producers differ. The brokers store batches uncompressed, because kafkajs reads only gzip, and another compression
 * would stop the consumer.
 */
const ofAnyProducer = { 'message.timestamp.type': 'LogAppendTime', 'compression.type': 'uncompressed' };

/**
 * The initial segment settings of a topic. Later versions neither compare nor change the segment settings, because a
 * broker does not start if an index is larger than its setting.
 *
 * Each segment has two indexes, which are memory-mapped files of 10 MiB by default. If Linux uses huge pages, the first
 * entry of an index clears a whole page while the append waits. With huge pages, the first append to a segment takes 2
 * ms, or 18 ms on busy CPUs, instead of 0.2 ms. With larger indexes and huge pages, the first records of a retry tier
 * would delay deliveries by 0.2 to 0.4 s.
 *
 * With the initial segment settings, a segment ends before its indexes are full. An index has at most one entry of 12
 * bytes for each 4 KiB of the log. After a crash, a broker that rebuilds an index may need a few more entries. The
 * broker does not start if the entries do not fit.
 */
export const initialConfiguration = {
  'segment.index.bytes': String(1024 * 1024),
  'segment.bytes': String(256 * 1024 * 1024),
} as const;

export function tierTopic({ name }: Tier): TierTopic {
  return `deliveries.retry.${name}`;
}

export const tierTopics: readonly TierTopic[] = tiers.map(tierTopic);

export function fullTopicName(prefix: string, name: TopicName): string {
  return `${prefix}${name}`;
}

/** The dead-letter topic of a topic. */
export function deadLetterTopic(topic: string): string {
  return `${topic}.dlq`;
}

export function isDeadLetterTopic(topic: string): boolean {
  return topic.endsWith(deadLetterTopic(''));
}

/**
 * The topics whose retention is the event retention. The other public topics contain the current state of the service,
 * and are retained without limit.
 */
const topicsOfEvents: readonly TopicName[] = ['events', 'deliveries'];

/** Every topic that must exist before a role starts. */
export function topicDefinitions(settings: TopicSettings): readonly TopicDefinition[] {
  const durability = {
    'min.insync.replicas': settings.replication >= 3 ? '2' : '1',
    'cleanup.policy': 'delete',
  };
  const keptTopics = topicNames.flatMap((name) => {
    const topic = fullTopicName(settings.prefix, name);
    const isOfEvents = topicsOfEvents.includes(name);
    const retention = isOfEvents ? String(settings.eventRetentionMs ?? forever) : forever;
    return [
      {
        topic,
        partitions: settings.partitions,
        replication: settings.replication,
        configuration: {
          ...durability,
          'retention.ms': retention,
          'retention.bytes': forever,
          ...(name === 'events' ? ofAnyProducer : {}),
        },
        changing: isOfEvents ? ['retention.ms'] : [],
      },
      {
        topic: deadLetterTopic(topic),
        partitions: 1,
        replication: settings.replication,
        configuration: {
          ...durability,
          'retention.ms': String(deadLetterRetentionMs),
          'max.message.bytes': String(largestDeadLetterBytes),
        },
        changing: [],
      },
    ];
  });
  // A retry tier has no dead-letter topic, because an unreadable retry record has no use.
  const waitingTopics = tiers.map((tier) => ({
    topic: fullTopicName(settings.prefix, tierTopic(tier)),
    partitions: settings.partitions,
    replication: settings.replication,
    configuration: {
      ...durability,
      'retention.ms': String(tier.delayMs + tierRetentionMs),
      'retention.bytes': forever,
    },
    changing: [],
  }));
  // `account-keys` has no dead-letter topic, because a dead letter would preserve a destroyed data key.
  const accountKeys = {
    topic: fullTopicName(settings.prefix, accountKeysTopic),
    partitions: settings.partitions,
    replication: settings.replication,
    configuration: {
      ...durability,
      'cleanup.policy': 'compact',
      'segment.ms': String(accountKeysSegmentMs),
      // With the ratio 0, the broker compacts `account-keys` as early as possible.
      'min.cleanable.dirty.ratio': '0.0',
      'delete.retention.ms': String(dayMs),
    },
    changing: [],
  };
  return [...keptTopics, ...waitingTopics, accountKeys];
}
