import { expect } from 'chai';

import { createAccount } from '../../../cli/accounts/createAccount.js';
import { migrate } from '../../../cli/environment/migrateTopics.js';
import { withStores } from '../../../cli/environment/stores.js';
import { loadConfig } from '../../../shared/settings/config.js';
import { createClient, type Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { startRoleProcess, type RoleProcess } from '../../support/roleProcess.js';
import { isolatedSettings, type Settings } from '../../support/settings.js';

const events = 400;
const callers = 20;

describe('one process with all roles', () => {
  let settings: Settings;
  let service: RoleProcess;
  let receiver: Receiver;
  let client: Client;
  let liveKey: string;

  const start = async () => {
    service = await startRoleProcess('all', settings);
    client = createClient(service.address, liveKey);
  };

  before(async () => {
    settings = await isolatedSettings({ PORT: '0', POSTRIDER_DRAIN_DELAY: '0s' });
    const config = loadConfig(settings);
    await migrate(config);
    service = await startRoleProcess('all', settings);
    const plan = { plan: 'enterprise', requestsPerSecond: 100_000 } as const;
    const account = await withStores(config, ({ commands }) =>
      createAccount(commands, { name: 'Small', email: 'small@example.com', ...plan }, new Date()),
    );
    liveKey = account.liveKey;
    client = createClient(service.address, liveKey);
    receiver = await startReceiver();
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
  });

  const undelivered = (ids: Iterable<string>) => {
    const delivered = new Set(receiver.requests.map(({ headers }) => String(headers['webhook-id'])));
    return [...ids].filter((id) => !delivered.has(id));
  };

  it('records an event, delivers it, and shows its delivery', async () => {
    const { status, body } = await client.post('/v1/events', { type: 'order.completed', data: {} });
    const shown = await eventually('the delivery', async () => {
      const event = await client.get(`/v1/events/${String(body['id'])}`);
      const [delivery] = event.body['deliveries'] as readonly { status: string }[];
      return delivery?.status === 'delivered' ? delivery.status : null;
    });
    expect([status, shown, undelivered([String(body['id'])])]).to.deep.equal([201, 'delivered', []]);
  });

  it('shows the checks of every role in one answer of /readyz', async () => {
    const wanted = ['kafka', 'mongodb', 'redis', 'running', 'model stats'];
    // A busy server may miss the time limit of one probe.
    const checks = await eventually('an answer of every check', async () => {
      const response = await fetch(`${service.address}/readyz`);
      const report = (await response.json()) as { checks: Record<string, string> };
      return response.status === 200 && wanted.every((name) => report.checks[name] === 'ok')
        ? report.checks
        : null;
    });
    expect(checks).to.include.all.keys(wanted);
  });

  it('returns the metrics of every role on one port', async () => {
    const text = await (await fetch(`${service.address}/metrics`)).text();
    const families = [
      'postrider_http_request_duration_seconds_bucket',
      'postrider_attempts_total',
      'postrider_unfolded_records_total',
    ];
    expect(families.filter((family) => !text.includes(`\n${family}{`))).to.deep.equal([]);
  });

  it('loses no acknowledged event when it is killed under load', async () => {
    const posting = post(events, () => client);
    await eventually('half of the events', () => (posting.acknowledged.size >= events / 2 ? true : null));
    await service.kill();
    await start();
    await posting.done;
    const left = await eventually(
      'all deliveries',
      () => (undelivered(posting.acknowledged).length === 0 ? [] : null),
      60_000,
    );
    expect(left).to.deep.equal([]);
  });

  it('ends with exit code 0 at a stop under load, and delivers all that it has acknowledged', async () => {
    const posting = post(events, () => client);
    await eventually('half of the events', () => (posting.acknowledged.size >= events / 2 ? true : null));
    const exitCode = await service.stop();
    await posting.done;
    await start();
    const left = await eventually('all deliveries', () =>
      undelivered(posting.acknowledged).length === 0 ? [] : null,
    );
    expect([exitCode, left]).to.deep.equal([0, []]);
  });
});

interface Posting {
  readonly acknowledged: ReadonlySet<string>;
  readonly done: Promise<unknown>;
}

/** Posts events, twenty at a time. A request without an answer acknowledges nothing. */
function post(count: number, currentClient: () => Client): Posting {
  const acknowledged = new Set<string>();
  let begun = 0;
  const call = async () => {
    while (begun < count) {
      begun += 1;
      await currentClient()
        .post('/v1/events', { type: 'load.event', data: {} })
        .then(
          ({ status, body }) => status === 201 && acknowledged.add(String(body['id'])),
          () => undefined,
        );
    }
  };
  return { acknowledged, done: Promise.all(Array.from({ length: callers }, call)) };
}
