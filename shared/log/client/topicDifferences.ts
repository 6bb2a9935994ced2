import kafkajs, { type Admin } from 'kafkajs';

import type { TopicDefinition } from '../topics/names.js';

/** A difference between an existing topic and the settings. */
export interface TopicDifference {
  readonly topic: string;
  /** The property's name in Kafka, such as `retention.ms` or `replication.factor`. */
  readonly property: string;
  readonly found: string;
  readonly wanted: string;
}

type ConfigurationAdmin = Pick<Admin, 'describeConfigs' | 'alterConfigs'>;

/** The configuration that is set on each topic, and the effective configuration of each topic. */
interface Configuration {
  readonly set: ReadonlyMap<string, string>;
  readonly effective: ReadonlyMap<string, string>;
}

/** The Kafka constant `TOPIC_CONFIG`, which kafkajs declares but does not export. */
const setOnTopic = 1;
const topicsPerRequest = 50;

/** The differences between the configuration of existing topics and the settings. */
export async function configurationDifferences(
  admin: ConfigurationAdmin,
  definitions: readonly TopicDefinition[],
): Promise<readonly TopicDifference[]> {
  const configurations = await readConfigurations(
    admin,
    definitions.map(({ topic }) => topic),
  );
  return definitions.flatMap(({ topic, configuration }) =>
    Object.entries(configuration)
      .map(([property, wanted]) => {
        const found = configurations.get(topic)?.effective.get(property) ?? '';
        return { topic, property, found, wanted };
      })
      .filter(({ found, wanted }) => found !== wanted),
  );
}

/**
 * Sets the differing values of topic configurations. Each request replaces the whole configuration of a topic, so it
 * includes the unchanged values.
 */
export async function applyConfiguration(
  admin: ConfigurationAdmin,
  differences: readonly TopicDifference[],
): Promise<void> {
  const topics = [...new Set(differences.map(({ topic }) => topic))];
  if (topics.length === 0) {
    return;
  }
  const configurations = await readConfigurations(admin, topics);
  const resources = topics.map((topic) => {
    const own = differences.filter((difference) => difference.topic === topic);
    const changed = own.map(({ property, wanted }) => [property, wanted] as const);
    const entries = new Map([...(configurations.get(topic)?.set ?? []), ...changed]);
    return {
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name: topic,
      configEntries: [...entries].map(([name, value]) => ({ name, value })),
    };
  });
  await admin.alterConfigs({ validateOnly: false, resources });
}

/**
 * Checks that the brokers report the new configuration values.
 * @throws if a broker still reports an old value
 */
export async function checkApplied(
  admin: ConfigurationAdmin,
  applied: readonly TopicDifference[],
): Promise<void> {
  const configurations = await readConfigurations(admin, [...new Set(applied.map(({ topic }) => topic))]);
  for (const { topic, property, wanted } of applied) {
    if (configurations.get(topic)?.effective.get(property) !== wanted) {
      throw new Error(
        `the setting ${property} of the topic ${topic} was changed to ${wanted}, but the brokers ` +
          `report another value`,
      );
    }
  }
}

async function readConfigurations(
  admin: ConfigurationAdmin,
  topics: readonly string[],
): Promise<ReadonlyMap<string, Configuration>> {
  const found = new Map<string, Configuration>();
  for (let first = 0; first < topics.length; first += topicsPerRequest) {
    const resources = topics
      .slice(first, first + topicsPerRequest)
      .map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name }));
    const described = await admin.describeConfigs({ resources, includeSynonyms: false });
    for (const { resourceName, configEntries } of described.resources) {
      const own = configEntries.filter(({ configSource }) => isSetOnTopic(configSource));
      found.set(resourceName, { set: valuesOf(own), effective: valuesOf(configEntries) });
    }
  }
  return found;
}

function isSetOnTopic(source: number): boolean {
  return source === setOnTopic;
}

function valuesOf(
  entries: readonly { readonly configName: string; readonly configValue: string }[],
): ReadonlyMap<string, string> {
  return new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
}
