import { identifierPattern } from '../../../shared/domain/core/identifiers.js';
import { anyType, type TopicContract } from '../../../shared/log/records/topicContracts.js';
import { topicDefinitions, type TopicDefinition } from '../../../shared/log/topics/names.js';
import { jsonSchemaOf, publicTopics } from './jsonSchemas.js';

const prefix = 'postrider.';
/** The defaults of the settings. */
const defaults = { prefix, partitions: 12, replication: 3, eventRetentionMs: null };
const bindingVersion = '0.5.0';

const introduction = [
  'Records follow the CloudEvents 1.0 Kafka binding in binary mode. Attributes are headers, and the value is the data alone.',
  'The partition of a record is murmur2(key) modulo the number of partitions, as in the Java client. Records with one key are in order. Records about an event have the partition number of the event, which another producer may have chosen.',
  'Delivery is at least once, so skip a record if you have handled its ce_id.',
  'Skip unknown types, ignore unknown fields, and expect unknown values of enumerations.',
  'The operator sets the prefix of the topics and the number of partitions.',
].join(' ');

type Part = Readonly<Record<string, unknown>>;

/** The AsyncAPI document of the topics for subscribers. */
export function asyncApiDocument(version: string): Part {
  const topics = publicTopics();
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Postrider topics',
      version,
      description: introduction,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      kafka: {
        host: 'kafka.example.com:9092',
        protocol: 'kafka',
        description: 'The servers in KAFKA_BROKERS',
      },
    },
    channels: Object.fromEntries(topics.map(([name, contract]) => [name, channelOf(name, contract)])),
    operations: {
      ...Object.fromEntries(
        topics.map(([name]) => [
          `append-${name}`,
          { action: 'send', channel: channelReference(name), summary: `Appends what happens to ${name}` },
        ]),
      ),
      'take-events': {
        action: 'receive',
        channel: channelReference('events'),
        summary: 'Delivers the events of any producer that are valid; all others go to the dead letters',
      },
    },
    components: {
      messages: Object.fromEntries(
        topics.flatMap(([name, contract]) =>
          [...contract.values].map(([type, schema]) => [
            type,
            {
              name: type,
              title: type === anyType ? 'An event of any type' : type,
              summary: schema.description,
              contentType: 'application/json',
              headers: { $ref: `#/components/schemas/${name}-headers` },
              payload: { $ref: `#/components/schemas/${type}` },
              bindings: { kafka: { key: keySchema(contract), bindingVersion } },
            },
          ]),
        ),
      ),
      schemas: Object.fromEntries(
        topics.flatMap(([name, { headers, values }]) => [
          [`${name}-headers`, jsonSchemaOf(headers)] as const,
          ...[...values].map(([type, schema]) => [type, jsonSchemaOf(schema)] as const),
        ]),
      ),
    },
  };
}

function channelOf(name: string, { description, values }: TopicContract): Part {
  const address = `${prefix}${name}`;
  const definition = topicDefinitions(defaults).find(({ topic }) => topic === address);
  return {
    address,
    description,
    messages: Object.fromEntries(
      [...values.keys()].map((type) => [type, { $ref: `#/components/messages/${type}` }]),
    ),
    ...(definition === undefined ? {} : { bindings: { kafka: topicBinding(definition) } }),
  };
}

function topicBinding({ topic, partitions, replication, configuration }: TopicDefinition): Part {
  return {
    topic,
    partitions,
    replicas: replication,
    topicConfiguration: {
      'cleanup.policy': [configuration['cleanup.policy']],
      'retention.ms': Number(configuration['retention.ms']),
    },
    bindingVersion,
  };
}

function keySchema({ key }: TopicContract): Part {
  return { type: 'string', pattern: identifierPattern(key).source };
}

function channelReference(name: string): Part {
  return { $ref: `#/channels/${name}` };
}
