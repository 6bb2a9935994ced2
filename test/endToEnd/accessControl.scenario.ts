import { readFileSync } from 'node:fs';

import { expect } from 'chai';
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  ResourcePatternTypes,
  type AclEntry,
  type Kafka,
} from 'kafkajs';

import { startApi } from '../../api/main.js';
import { createAccount } from '../../cli/accounts/createAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import type { RoleName, StartRole } from '../../cli/roles/runRole.js';
import { withStores } from '../../cli/environment/stores.js';
import { startDelivery } from '../../consumers/main.js';
import { startProjections } from '../../projections/main.js';
import { loadConfig, type Config } from '../../shared/settings/config.js';
import { createKafkaClient } from '../../shared/log/client/client.js';
import { createLogger } from '../../shared/core/logger.js';
import { startTestBroker } from '../support/broker.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { closeAtEndOfFile } from '../support/fileResources.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { settingsOn, type Settings } from '../support/settings.js';
import { testStack } from '../support/stack.js';

const administrator = 'admin';
const principals = [
  ...['postrider-api', 'postrider-projections', 'postrider-delivery', 'postrider-operator'],
  ...['billing', 'shop'],
];

const passwordOf = (user: string) => `${user}-secret`;

/** SASL/PLAIN for clients, and an authorizer that allows nothing by default. */
const guarded = {
  'listener.security.protocol.map': 'BROKER:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
  'sasl.enabled.mechanisms': 'PLAIN',
  'sasl.mechanism.inter.broker.protocol': 'PLAIN',
  'listener.name.broker.plain.sasl.jaas.config': [
    'org.apache.kafka.common.security.plain.PlainLoginModule required',
    `username="${administrator}" password="${passwordOf(administrator)}"`,
    ...[administrator, ...principals].map((user) => `user_${user}="${passwordOf(user)}"`),
  ]
    .join(' ')
    .concat(';'),
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  // The controller's own listener has no users.
  'super.users': `User:${administrator};User:ANONYMOUS`,
};

const roles: readonly (readonly [RoleName, StartRole])[] = [
  ['projections', startProjections],
  ['delivery', startDelivery],
  ['api', startApi],
];

/** Every role and a subscriber, each as its own principal with the permissions of docs/operations/security.md. */
describe('the access to Kafka that docs/operations/security.md describes', () => {
  const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
  let configOf: (user: string, overrides?: Settings) => Config;
  let kafkaOf: (user: string) => Kafka;
  let client: Client;
  let receiver: Receiver;
  let lost: RoleName[];

  before(async () => {
    const broker = await startTestBroker(guarded);
    const stack = await testStack();
    const settings = settingsOn(
      { ...stack, kafka: { brokers: [broker.address] } },
      { POSTRIDER_TOPIC_PREFIX: 'postrider.', POSTRIDER_RETRY_SCHEDULE: '1s,1h' },
    );
    configOf = (user, overrides = {}) =>
      loadConfig({
        ...settings,
        ...overrides,
        KAFKA_SASL_MECHANISM: 'plain',
        KAFKA_SASL_USERNAME: user,
        KAFKA_SASL_PASSWORD: passwordOf(user),
      });
    kafkaOf = (user) => createKafkaClient(configOf(user).kafka, { clientId: user, logger });
    await grantAll(kafkaOf(administrator));
    const operator = configOf('postrider-operator');
    await migrate(operator);
    lost = [];
    const addresses = new Map<RoleName, string>();
    for (const [name, start] of roles) {
      const role = await start(configOf(`postrider-${name}`), logger, () => new Date());
      void role.lost.then(() => lost.push(name));
      closeAtEndOfFile(role.stop);
      addresses.set(name, role.address);
    }
    const account = await withStores(operator, ({ commands }) =>
      createAccount(
        commands,
        { name: 'Test', email: 'test@example.com', plan: 'enterprise', requestsPerSecond: 1000 },
        new Date(),
      ),
    );
    client = createClient(addresses.get('api') ?? '', account.liveKey);
    receiver = await startReceiver(({ path }, response) => {
      const fails =
        path.includes('fails') && receiver.requests.filter((other) => other.path === path).length < 2;
      response.writeHead(path.includes('gone') ? 410 : fails ? 500 : 200).end();
    });
  });

  const postTo = async (path: string) => {
    const url = new URL(path, receiver.url).href;
    const webhook = await client.post('/v1/webhooks', { url, events: [path.slice(1)] });
    const event = await client.post('/v1/events', { type: path.slice(1), data: {} });
    return { webhookId: String(webhook.body['id']), eventId: String(event.body['id']) };
  };

  const statusOf = async (eventId: string) => {
    const { body } = await client.get(`/v1/events/${eventId}`);
    const [delivery] = body['deliveries'] as readonly Readonly<Record<string, unknown>>[];
    return delivery?.['status'] ?? null;
  };

  const untilStatus = (eventId: string, wanted: string) =>
    eventually(`the status ${wanted}`, async () => ((await statusOf(eventId)) === wanted ? wanted : null));

  it('suffices for an operator to change the settings of topics', async () => {
    const { changed } = await migrate(configOf('postrider-operator', { POSTRIDER_EVENT_RETENTION: '400d' }));

    expect(changed.map(({ topic }) => topic)).to.have.members(['postrider.events', 'postrider.deliveries']);
  });

  it('suffices for an event from its POST to its delivery, after a retry', async () => {
    const { eventId } = await postTo('/fails');
    expect(await untilStatus(eventId, 'delivered')).to.equal('delivered');
  });

  it('suffices for a resend', async () => {
    const { eventId } = await postTo('/again');
    await untilStatus(eventId, 'delivered');
    await client.post(`/v1/events/${eventId}/resend`, {});
    await eventually('the second arrival', () =>
      receiver.requests.filter(({ path }) => path === '/again').length === 2 ? true : null,
    );
  });

  it('suffices for a replay', async () => {
    const { webhookId, eventId } = await postTo('/replayed');
    await untilStatus(eventId, 'delivered');
    const since = new Date(Date.now() - 60_000).toISOString();
    for (const only of ['all', 'missing']) {
      const { body } = await client.post('/v1/replays', { webhookId, since, only });
      await eventually('the end of the replay', async () =>
        (await client.get(`/v1/replays/${String(body['id'])}`)).body['status'] === 'completed' ? true : null,
      );
    }
  });

  it('suffices to disable a webhook after a 410', async () => {
    const { webhookId } = await postTo('/gone');
    await eventually('the disabling', async () =>
      (await client.get(`/v1/webhooks/${webhookId}`)).body['status'] === 'disabled' ? true : null,
    );
  });

  it('suffices for a producer of events, and for the dead letters of its invalid records', async () => {
    const producer = kafkaOf('shop').producer();
    await producer.connect();
    closeAtEndOfFile(() => producer.disconnect());
    await producer.send({
      topic: 'postrider.events',
      messages: [{ key: 'wrong', value: '{}', partition: 0 }],
    });
    const admin = kafkaOf('postrider-operator').admin();
    await admin.connect();
    closeAtEndOfFile(() => admin.disconnect());

    // Of the delivery group, and of the groups of the models that are folded from events.
    await eventually('three dead letters', async () => {
      const [letters] = await admin.fetchTopicOffsets('postrider.events.dlq');
      return Number(letters?.high) >= 3 ? true : null;
    });
  });

  it('lets a subscriber read the topics of the contract alone', async () => {
    for (const topic of ['events', 'webhooks', 'deliveries', 'replays']) {
      await readAs(kafkaOf('billing'), `postrider.${topic}`, 'billing.reader');
    }
    for (const topic of ['accounts', 'account-keys', 'deliveries.retry.1s', 'events.dlq']) {
      const refusal = await refusalOf(() =>
        readAs(kafkaOf('billing'), `postrider.${topic}`, 'billing.reader'),
      );
      expect(refusal, topic).to.match(/not authorized/i);
    }
  });

  it('lets no subscriber join a group of the service', async () => {
    const refusal = await refusalOf(() =>
      readAs(kafkaOf('billing'), 'postrider.events', 'postrider.delivery'),
    );

    // kafkajs reports no more about a group without permission.
    expect(refusal).to.match(/not authorized|Failed to find group coordinator/i);
  });

  it('lets nobody write to the topics of others', async () => {
    const unwritable: Readonly<Record<string, readonly string[]>> = {
      billing: ['events', 'webhooks', 'deliveries', 'accounts', 'account-keys'],
      shop: ['webhooks'],
      'postrider-api': ['deliveries.retry.1s'],
      'postrider-projections': ['events', 'accounts', 'account-keys'],
      'postrider-delivery': ['events', 'accounts'],
    };
    for (const [user, topics] of Object.entries(unwritable)) {
      const producer = kafkaOf(user).producer({ retry: { retries: 0 } });
      await producer.connect();
      closeAtEndOfFile(() => producer.disconnect());
      for (const topic of topics) {
        const messages = [{ value: '{}', partition: 0 }];
        const refusal = await refusalOf(() => producer.send({ topic: `postrider.${topic}`, messages }));
        expect(refusal, `${user} to ${topic}`).to.match(/not authorized/i);
      }
    }
  });

  it('stops no role', () => {
    expect(lost).to.deep.equal([]);
  });
});

/** Grants the same permissions as the commands of the page, because the brokers of the tests lack kafka-acls.sh. */
async function grantAll(kafka: Kafka): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    await admin.createAcls({ acl: grantsOf(readFileSync('docs/operations/security.md', 'utf8')) });
  } finally {
    await admin.disconnect();
  }
}

const operations: Readonly<Record<string, AclOperationTypes>> = {
  AlterConfigs: AclOperationTypes.ALTER_CONFIGS,
  Create: AclOperationTypes.CREATE,
  Describe: AclOperationTypes.DESCRIBE,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
};

function grantsOf(page: string): AclEntry[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('$acls '))
    .flatMap((line) => {
      const valuesOf = (option: string) =>
        [...line.matchAll(new RegExp(` --${option} (\\S+)`, 'g'))].map(([, value = '']) => value);
      const isPrefixed = valuesOf('resource-pattern-type').includes('prefixed');
      const resources = [
        ...valuesOf('topic').map((name) => [AclResourceTypes.TOPIC, name] as const),
        ...valuesOf('group').map((name) => [AclResourceTypes.GROUP, name] as const),
      ];
      return resources.flatMap(([resourceType, resourceName]) =>
        valuesOf('operation').map((operation) => ({
          resourceType,
          resourceName,
          resourcePatternType: isPrefixed ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
          principal: valuesOf('allow-principal').join(),
          host: '*',
          operation: operations[operation] ?? expect.fail(`an operation that is not known: ${operation}`),
          permissionType: AclPermissionTypes.ALLOW,
        })),
      );
    });
}

/** Reads a topic in a group, as far as its first record. */
async function readAs(kafka: Kafka, topic: string, group: string): Promise<void> {
  const consumer = kafka.consumer({
    groupId: group,
    maxWaitTimeInMs: 100,
    retry: { retries: 0, restartOnFailure: () => Promise.resolve(false) },
  });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        reject(payload.error);
      });
      const eachMessage = () => {
        resolve();
        return Promise.resolve();
      };
      consumer.run({ autoCommit: false, eachMessage }).catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
}

async function refusalOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'nothing';
  } catch (error) {
    return String(error);
  }
}
