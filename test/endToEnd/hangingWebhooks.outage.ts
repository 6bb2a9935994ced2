import { expect } from 'chai';

import { createHangingAccounts } from '../../bench/fixtures/hangingAccounts.js';
import { createAccount } from '../../cli/accounts/createAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import type { RoleName } from '../../cli/roles/runRole.js';
import { withStores } from '../../cli/environment/stores.js';
import { loadConfig, type Config } from '../../shared/settings/config.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type ReceivedRequest, type Receiver } from '../support/receiver.js';
import { startRoleProcess } from '../support/roleProcess.js';
import { isolatedSettings } from '../support/settings.js';

const rounds = 20;
const healthyWebhooks = 50;
const newHanging = { accounts: 5, webhooksEach: 20 };
const eventsPerSecond = 200;
const eventsPerRound = 400;
/** The limit for the first attempt of an event, whatever other accounts do. */
const deadlineMs = 5_000;

const roles: readonly RoleName[] = ['projections', 'delivery', 'api'];

describe(`${healthyWebhooks} healthy webhooks next to hanging ones, 100 more in each of ${rounds} rounds`, function () {
  this.timeout(300_000);

  const postedAt = new Map<string, number>();
  const hanging: ReceivedRequest[] = [];
  const healthy = new Map<string, number>();
  let receiver: Receiver;

  before(async () => {
    const settings = await isolatedSettings({ POSTRIDER_PARTITIONS: '12' });
    const config = loadConfig(settings);
    await migrate(config);
    let address = '';
    for (const name of roles) {
      const role = await startRoleProcess(name, settings);
      ({ address } = role);
    }
    receiver = await startReceiver((request, response) => {
      if (request.path.endsWith('hangs')) {
        hanging.push(request);
        return;
      }
      const id = String(request.headers['webhook-id']);
      healthy.set(id, healthy.get(id) ?? request.receivedAt);
      response.end();
    });
    const client = await openHealthyAccount(config, address, receiver.url);
    let next = 0;
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all([
        postAtRate(eventsPerRound, () => postEvent(client, (next += 1))),
        addHangingWebhooks(config, round),
      ]);
    }
  });

  const openHealthyAccount = async (config: Config, address: string, url: string): Promise<Client> => {
    const { liveKey } = await withStores(config, ({ commands }) =>
      createAccount(
        commands,
        { name: 'Healthy', email: 'healthy@example.com', plan: 'enterprise', requestsPerSecond: 100_000 },
        new Date(),
      ),
    );
    const client = createClient(address, liveKey);
    for (let webhook = 0; webhook < healthyWebhooks; webhook += 1) {
      const { status } = await client.post('/v1/webhooks', { url, events: [`healthy.of_${webhook}`] });
      expect(status).to.equal(201);
    }
    return client;
  };

  const postEvent = async (client: Client, number: number) => {
    const { status, body } = await client.post('/v1/events', {
      type: `healthy.of_${number % healthyWebhooks}`,
      data: { number },
    });
    expect(status).to.equal(201);
    postedAt.set(String(body['id']), Date.now());
  };

  const addHangingWebhooks = async (config: Config, round: number) => {
    // A command is rejected while its read model is behind the log. Accounts of a try that failed get no events.
    const { appendEvents } = await eventually(
      'hanging accounts',
      () =>
        createHangingAccounts(config, newHanging, (webhook) => `${receiver.url}/${round}-${webhook}/hangs`),
      60_000,
    );
    await appendEvents(newHanging.accounts, eventsPerSecond);
  };

  it('get each attempt within five seconds', async () => {
    await eventually(
      'the arrival of each event',
      () => (healthy.size === postedAt.size ? true : null),
      60_000,
    );
    const waits = [...postedAt].map(([id, posted]) => (healthy.get(id) ?? Infinity) - posted);
    const late = waits.filter((wait) => wait > deadlineMs);

    expect([late, postedAt.size]).to.deep.equal([[], rounds * eventsPerRound]);
  });

  it('do not stop the attempts to the hanging webhooks', () => {
    expect(new Set(hanging.map(({ path }) => path)).size).to.be.at.least(rounds * 10);
  });
});

/** Calls a function at a steady rate, whether or not earlier calls have ended. */
function postAtRate(count: number, post: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  const calls: Promise<void>[] = [];
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      const due = Math.min(count, ((performance.now() - startedAt) / 1000) * eventsPerSecond);
      while (calls.length < due) {
        calls.push(post());
      }
      if (calls.length === count) {
        clearInterval(timer);
        Promise.all(calls).then(() => resolve(), reject);
      }
    }, 1000 / eventsPerSecond);
  });
}
