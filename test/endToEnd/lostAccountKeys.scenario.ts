import { expect } from 'chai';
import type { Admin } from 'kafkajs';

import { markDeleted } from '../../cli/accounts/deleteAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import type { RoleName } from '../../cli/roles/runRole.js';
import { createKafkaClient, type Kafka } from '../../shared/log/client/client.js';
import { createLogger } from '../../shared/core/logger.js';
import { fullTopicName } from '../../shared/log/topics/names.js';
import { openAccount, type TestAccount } from '../api/support/accounts.js';
import { createClient } from '../api/support/client.js';
import { createWebhook } from '../api/support/webhooks.js';
import { eventually } from '../support/eventually.js';
import { closeAtEndOfFile } from '../support/fileResources.js';
import { runCommand } from '../support/program.js';
import { missingAt } from '../support/readiness.js';
import { readTopic, type TopicRecord } from '../support/readTopic.js';
import { startService, type TestService } from '../support/service.js';

const roles = ['projections', 'delivery', 'api'] as const satisfies readonly RoleName[];
const waitMs = 60_000;

/** A restore has omitted the topic, so it is empty. MongoDB is empty too, so that all data is read from the log. */
describe('a log that has lost the data keys of accounts', () => {
  let service: TestService;
  let kafka: Kafka;
  let admin: Admin;
  let topic: string;
  let kept: TestAccount;
  let lost: TestAccount;
  let deleted: TestAccount;
  let keyOfKept: TopicRecord | undefined;
  let answerBefore: string;

  before(async () => {
    service = await startService();
    const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
    kafka = createKafkaClient(service.config.kafka, { clientId: 'test', logger });
    admin = kafka.admin();
    await admin.connect();
    closeAtEndOfFile(() => admin.disconnect());
    topic = fullTopicName(service.config.topics.prefix, 'account-keys');
    [kept, lost, deleted] = [
      await openAccount(service),
      await openAccount(service),
      await openAccount(service),
    ];
    await createWebhook(kept.live);
    answerBefore = (await kept.live.get('/v1/webhooks')).text;
    keyOfKept = (await readTopic({ kafka }, topic, 3)).find(({ key }) => key?.toString() === kept.id);
    await service.withStores((stores) => markDeleted(stores, deleted.id));
    await loseKeys();
  });

  const loseKeys = async () => {
    await Promise.all(roles.map(service.stopRole));
    await admin.deleteTopics({ topics: [topic] });
    await eventually('the end of the topic', async () =>
      (await admin.listTopics()).includes(topic) ? null : true,
    );
    await migrate(service.config);
    await service.withStores(({ mongo }) => mongo.database.dropDatabase());
    await Promise.all(roles.map(service.startRole));
  };

  const missingIn = (role: RoleName) => missingAt(service.addressOf(role));

  const ask = ({ liveKey }: TestAccount) =>
    createClient(service.addressOf('api'), liveKey).get('/v1/webhooks');

  for (const role of roles) {
    it(`keeps ${role} from being ready, with an error that contains the ids of the existing accounts`, async () => {
      const error = await eventually(
        'the error',
        async () => {
          const text = (await missingIn(role))['account keys'] ?? '';
          return text.includes(kept.id) && text.includes(lost.id) ? text : null;
        },
        waitMs,
      );
      expect([error.includes(deleted.id), error.includes('account-keys')]).to.deep.equal([false, true]);
    });
  }

  it('does not complete the model of accounts: valid keys get 503, never 401', async () => {
    const statuses = await Promise.all([kept, lost, deleted].map(async (one) => (await ask(one)).status));
    expect(statuses).to.deep.equal([503, 503, 503]);
  });

  it('lets the operator delete an account whose key exists in no backup', async () => {
    const { code } = await runCommand(service.settings, 'account', 'delete', lost.id, '--yes');
    const error = await eventually('an error without the account', async () => {
      const text = (await missingIn('projections'))['account keys'] ?? '';
      return text.includes(lost.id) ? null : text;
    });
    expect([code, error.includes(kept.id)]).to.deep.equal([0, true]);
  });

  it('is ready, and answers as before, once the other key is restored', async () => {
    const producer = kafka.producer();
    await producer.connect();
    const { key = null, value = null, headers = {} } = keyOfKept ?? {};
    await producer.send({ topic, messages: [{ key, value, headers }] });
    await producer.disconnect();
    await eventually(
      'readiness',
      async () => {
        const missing = await Promise.all(roles.map(missingIn));
        return missing.every((checks) => Object.keys(checks).length === 0) ? true : null;
      },
      waitMs,
    );
    const answers = await Promise.all([kept, lost, deleted].map(ask));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 401, 401]);
    expect(answers[0]?.text).to.equal(answerBefore);
  });
});
