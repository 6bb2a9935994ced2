import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { createAccount } from '../../cli/accounts/createAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import { withStores } from '../../cli/environment/stores.js';
import type { RoleName } from '../../cli/roles/runRole.js';
import { createRandom } from '../../shared/core/random.js';
import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import { tiers } from '../../shared/domain/deliveries/schedule.js';
import { encodeRetry, type RetryRecord } from '../../shared/log/records/retry.js';
import { placementOf } from '../../shared/log/topics/partition.js';
import { loadConfig, type Config } from '../../shared/settings/config.js';
import { appendBacklog, appendInPortions } from '../support/backlog.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type Answer, type Receiver } from '../support/receiver.js';
import { startRoleProcess, type RoleProcess } from '../support/roleProcess.js';
import { isolatedSettings } from '../support/settings.js';

const backlog = 50_000;
const roles: readonly RoleName[] = ['projections', 'delivery', 'api'];
const [shortestTier] = tiers;

interface Account {
  readonly id: string;
  readonly client: Client;
}

describe(`a backlog of ${backlog.toLocaleString('en')} deliveries`, function () {
  this.timeout(300_000);

  let config: Config;
  let processes: RoleProcess[];
  let receivers: Receiver[];

  beforeEach(async () => {
    const settings = await isolatedSettings({ POSTRIDER_PARTITIONS: '12' });
    config = loadConfig(settings);
    await migrate(config);
    receivers = [];
    processes = [];
    for (const role of roles) {
      processes.push(await startRoleProcess(role, settings));
    }
  });

  afterEach(async () => {
    await Promise.all(processes.map((role) => role.kill()));
    await Promise.all(receivers.map((receiver) => receiver.close()));
  });

  const openAccount = async (): Promise<Account> => {
    const plan = { plan: 'enterprise', requestsPerSecond: 100_000 } as const;
    const { id, liveKey } = await withStores(config, ({ commands }) =>
      createAccount(commands, { name: 'Backlog', email: 'backlog@example.com', ...plan }, new Date()),
    );
    return { id, client: createClient(processes.at(-1)?.address ?? '', liveKey) };
  };

  const createWebhook = async ({ client }: Account, type: string, answer?: Answer) => {
    const receiver = await startReceiver(answer);
    receivers.push(receiver);
    const { body } = await client.post('/v1/webhooks', { url: receiver.url, events: [type] });
    return { id: String(body['id']), receiver };
  };

  it('of one account delays the first attempts of another one, at ten a second, by less than 5 s', async () => {
    const [busy, other] = [await openAccount(), await openAccount()];
    await createWebhook(busy, '*');
    const { receiver } = await createWebhook(other, '*');
    const post = () => other.client.post('/v1/events', { type: 'order.completed', data: {} });
    await post();
    await receiver.received(1);
    const createdAt = new Map<string, number>();
    const appending = withStores(config, ({ log }) => appendBacklog(log, busy.id, backlog));
    for (let index = 0; index < 200; index += 1) {
      const { body } = await post();
      createdAt.set(String(body['id']), Date.parse(String(body['created'])));
      await pause(100);
    }
    await appending;
    await receiver.received(201, 120_000);
    const waits = receiver.requests.map(
      ({ headers, receivedAt }) => receivedAt - (createdAt.get(String(headers['webhook-id'])) ?? receivedAt),
    );

    expect(Math.max(...waits)).to.be.below(5_000);
  });

  it('of due retries of a webhook that hangs delays the retries of another webhook by at most 2 s', async () => {
    const account = await openAccount();
    const hanging = await createWebhook(account, 'none.such', () => undefined);
    const healthy = await createWebhook(account, 'none.such');
    const ids = await withStores(config, ({ log }) => appendBacklog(log, account.id, backlog));
    await eventually(
      'all events in the read model',
      async () => ((await account.client.get(`/v1/events/${ids.at(-1) ?? ''}`)).status === 200 ? true : null),
      120_000,
    );
    const identifiers = createIdentifiers(createRandom());
    const due = new Map<string, number>();
    await withStores(config, async ({ log }) => {
      const retryOf = (eventId: string, webhookId: string) => {
        const at = new Date();
        const dueAt = new Date(at.getTime() + shortestTier.delayMs);
        due.set(`${eventId}/${webhookId}`, dueAt.getTime());
        const retry: RetryRecord = {
          eventId,
          accountId: account.id,
          mode: 'live',
          webhookId,
          cycle: 0,
          number: 1,
          attemptsMade: 0,
          trigger: 'first',
          replayId: null,
          epoch: 0,
          due: dueAt,
          positions: {
            event: { partition: placementOf({ id: eventId }, config.topics.partitions), offset: null },
            outcome: null,
          },
        };
        return encodeRetry(retry, shortestTier, { id: identifiers.createRecordId(at), at });
      };
      await appendInPortions(log, backlog, (index) => retryOf(ids[index] ?? '', hanging.id));
      await appendInPortions(log, 100, (index) => retryOf(ids[index] ?? '', healthy.id));
    });
    const requests = await healthy.receiver.received(100, 120_000);
    const lateMs = requests.map(
      ({ headers, receivedAt }) =>
        receivedAt - (due.get(`${String(headers['webhook-id'])}/${healthy.id}`) ?? 0),
    );

    expect(Math.max(...lateMs)).to.be.at.most(2_000);
  });
});
