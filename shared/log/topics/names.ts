import { tiers, type Tier } from '../../domain/deliveries/tiers.js';

/** The topics of the log, without their prefix. Their records are public: see docs/topics.md. */
export const topicNames = ['events', 'webhooks', 'deliveries', 'accounts', 'replays'] as const;

/** Where planned attempts wait. Their records are the service's own. */
export type TierTopic = `deliveries.retry.${Tier['name']}`;

/** What the records of an account are sealed with. Compacted: of a key that was destroyed nothing is to be left. */
export const accountKeysTopic = 'account-keys';

export type TopicName = (typeof topicNames)[number] | typeof accountKeysTopic | TierTopic;

export interface TopicSettings {
  /** Stands before each topic's name, `postrider.` by default. */
  readonly prefix: string;
  /** Partitions of each topic: set once, since another number would move every key. */
  readonly partitions: number;
  readonly replication: number;
  /** How long `events` and `deliveries` keep a record, in milliseconds; null for ever. */
  readonly eventRetentionMs: number | null;
}

export interface TopicDefinition {
  readonly topic: string;
  readonly partitions: number;
  readonly replication: number;
  readonly configuration: Readonly<Record<string, string>>;
  /** What of it follows a setting that may change, and is changed on a topic that is there. */
  readonly changing: readonly string[];
}

const forever = '-1';
const dayMs = 24 * 60 * 60 * 1000;
const deadLetterRetentionMs = 30 * dayMs;
/** Twice what a broker takes by default: a record that is as large as may be gets headers that say why it is here. */
const largestDeadLetterBytes = 2 * 1024 * 1024;
/**
 * The newest segment of a log is never compacted, and ends with the first record that is appended to it when it is so old: so a
 * second tombstone behind that time is what lets the first one take effect.
 */
export const accountKeysSegmentMs = 60_000;
/** How long a work record may go unread after its release. */
const tierRetentionMs = 7 * dayMs;

/**
 * Other producers append too. When a record came is not for them to say; and the brokers unpack what is compressed, since
 * kafkajs reads gzip alone, and a batch of another kind would stop whoever reads it.
 */
const ofAnyProducer = { 'message.timestamp.type': 'LogAppendTime', 'compression.type': 'uncompressed' };

/**
 * What a topic begins with, beside its configuration: neither compared nor changed on one that is there, as a broker does not start
 * where an index is larger than this says.
 *
 * Each segment has two indexes, mapped as files of 10 MiB by default. Where Linux backs them with large pages the first entry of each
 * clears as much while its append waits: 2 ms by itself, and 18 with full processors, in place of 0.2. For the first records of all
 * partitions of a tier it came to 0.2 to 0.4 s in which nothing was delivered.
 *
 * A segment ends before its indexes can be full, of which an entry has 12 bytes at most for each 4 KiB of the log: a broker that
 * makes an index anew after a crash may need a few entries more than it had, and does not start where they find no place.
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

/** Where the records of a topic go that no consumer can read. */
export function deadLetterTopic(topic: string): string {
  return `${topic}.dlq`;
}

export function isDeadLetterTopic(topic: string): boolean {
  return topic.endsWith(deadLetterTopic(''));
}

/** What an event is and what became of it go together. All else is what the service is now, and is kept for ever. */
const topicsOfEvents: readonly TopicName[] = ['events', 'deliveries'];

/** Every topic that must be there before a role starts. */
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
  // What cannot be read in a tier is of no use to anyone: it has no dead letters.
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
  // What cannot be read in it is of no use either, and dead letters would keep what is destroyed.
  const accountKeys = {
    topic: fullTopicName(settings.prefix, accountKeysTopic),
    partitions: settings.partitions,
    replication: settings.replication,
    configuration: {
      ...durability,
      'cleanup.policy': 'compact',
      'segment.ms': String(accountKeysSegmentMs),
      // Whatever can be compacted is, as soon as the broker looks.
      'min.cleanable.dirty.ratio': '0.0',
      'delete.retention.ms': String(dayMs),
    },
    changing: [],
  };
  return [...keptTopics, ...waitingTopics, accountKeys];
}
