/** The topics of the log, without their prefix. Their records are public: see docs/topics.md. */
export const topicNames = ['events', 'webhooks', 'deliveries', 'accounts'] as const;

export type TopicName = (typeof topicNames)[number];

export interface TopicSettings {
  /** Stands before each topic's name, `postrider.` by default. */
  readonly prefix: string;
  /** Partitions of each topic: set once, since another number would move every key. */
  readonly partitions: number;
  readonly replication: number;
}

export interface TopicDefinition {
  readonly topic: string;
  readonly partitions: number;
  readonly replication: number;
  readonly configuration: Readonly<Record<string, string>>;
}

const forever = '-1';
const deadLetterRetentionMs = 30 * 24 * 60 * 60 * 1000;

export function fullTopicName(prefix: string, name: TopicName): string {
  return `${prefix}${name}`;
}

/** Where the records of a topic go that no consumer can read. */
export function deadLetterTopic(topic: string): string {
  return `${topic}.dlq`;
}

/** Every topic that must be there before a role starts. */
export function topicDefinitions(settings: TopicSettings): readonly TopicDefinition[] {
  const durability = {
    'min.insync.replicas': settings.replication >= 3 ? '2' : '1',
    'cleanup.policy': 'delete',
  };
  return topicNames.flatMap((name) => {
    const topic = fullTopicName(settings.prefix, name);
    return [
      {
        topic,
        partitions: settings.partitions,
        replication: settings.replication,
        configuration: { ...durability, 'retention.ms': forever, 'retention.bytes': forever },
      },
      {
        topic: deadLetterTopic(topic),
        partitions: 1,
        replication: settings.replication,
        configuration: { ...durability, 'retention.ms': String(deadLetterRetentionMs) },
      },
    ];
  });
}
