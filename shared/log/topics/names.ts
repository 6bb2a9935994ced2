import { tiers, type Tier } from '../../domain/deliveries/tiers.js';

/** The topics of the log, without their prefix. Their records are public: see docs/topics.md. */
export const topicNames = ['events', 'webhooks', 'deliveries', 'accounts', 'replays'] as const;

/** The topics of scheduled attempts. Their records are internal. */
export type TierTopic = `deliveries.retry.${Tier['name']}`;

/** The data keys of accounts. The topic is compacted, so that a destroyed key disappears from the log. */
export const accountKeysTopic = 'account-keys';

export type TopicName = (typeof topicNames)[number] | typeof accountKeysTopic | TierTopic;

export interface TopicSettings {
  /** The prefix of each topic's name, `postrider.` by default. */
  readonly prefix: string;
  /** The number of partitions of each topic. It never changes, because another number would move every key. */
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
  /** The part of it that follows a changeable setting, and is changed on an existing topic. */
  readonly changing: readonly string[];
}

const forever = '-1';
const dayMs = 24 * 60 * 60 * 1000;
const deadLetterRetentionMs = 30 * dayMs;
/**
 * Twice the broker's default, because a record of the maximum size also gets headers with the reason of its rejection.
 */
const largestDeadLetterBytes = 2 * 1024 * 1024;
/**
 * Kafka never compacts the newest segment of a log. The segment ends with the first append after this age. So a second
 * tombstone after that time makes the first one effective.
 */
export const accountKeysSegmentMs = 60_000;
/** How long a retry record may stay unread after its release. */
const tierRetentionMs = 7 * dayMs;

/**
 * The brokers set the append time, because other producers append too. They also decompress batches: kafkajs reads only
 * gzip, and another compression would stop the consumer.
 */
const ofAnyProducer = { 'message.timestamp.type': 'LogAppendTime', 'compression.type': 'uncompressed' };

/**
 * The initial settings of a topic in addition to its configuration. They are neither compared nor changed later,
 * because a broker does not start if an index is larger than the setting.
 *
 * Each segment has two indexes, which are mapped files of 10 MiB by default. If Linux uses large pages, the first entry
 * of an index clears a whole page while its append waits. That takes 2 ms, or 18 ms on busy CPUs, instead of 0.2 ms.
 * For the first records of all partitions of a tier, deliveries stopped for 0.2 to 0.4 s.
 *
 * A segment ends before its indexes can be full. An index has at most one entry of 12 bytes for each 4 KiB of the log.
 * After a crash, a broker that rebuilds an index may need a few more entries. It does not start if they do not fit.
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

/** The topic for records of a topic that no consumer can read. */
export function deadLetterTopic(topic: string): string {
  return `${topic}.dlq`;
}

export function isDeadLetterTopic(topic: string): boolean {
  return topic.endsWith(deadLetterTopic(''));
}

/**
 * The retention applies to events and their outcomes alike. All other topics contain the current state of the service
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
  // A tier has no dead letters, because its unreadable records have no use.
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
  // No dead letters here: an unreadable record has no use, and a copy would preserve a destroyed key.
  const accountKeys = {
    topic: fullTopicName(settings.prefix, accountKeysTopic),
    partitions: settings.partitions,
    replication: settings.replication,
    configuration: {
      ...durability,
      'cleanup.policy': 'compact',
      'segment.ms': String(accountKeysSegmentMs),
      // The broker compacts as early as possible.
      'min.cleanable.dirty.ratio': '0.0',
      'delete.retention.ms': String(dayMs),
    },
    changing: [],
  };
  return [...keptTopics, ...waitingTopics, accountKeys];
}
