import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { createAccount } from '../../cli/accounts/createAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import type { RoleName } from '../../cli/roles/runRole.js';
import { withStores } from '../../cli/environment/stores.js';
import { loadConfig } from '../../shared/settings/config.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startRoleProcess, type RoleProcess } from '../support/roleProcess.js';
import { isolatedSettings, type Settings } from '../support/settings.js';

const events = 2000;
const connections = 50;
const roles: readonly RoleName[] = ['projections', 'delivery', 'api'];

interface Posted {
  readonly acknowledged: ReadonlySet<string>;
}

describe('an API process that is killed under load', () => {
  let settings: Settings;
  let processes: Map<RoleName, RoleProcess>;
  let receiver: Receiver;
  let client: Client;

  before(async () => {
    settings = await isolatedSettings({ POSTRIDER_PARTITIONS: '6', PORT: String(await freePort()) });
    const config = loadConfig(settings);
    await migrate(config);
    processes = new Map();
    for (const role of roles) {
      processes.set(
        role,
        await startRoleProcess(role, role === 'api' ? settings : { ...settings, PORT: '0' }),
      );
    }
    const account = await withStores(config, ({ commands }) =>
      createAccount(
        commands,
        { name: 'Kills', email: 'kills@example.com', plan: 'enterprise', requestsPerSecond: 100_000 },
        new Date(),
      ),
    );
    receiver = await startReceiver();
    client = createClient(processes.get('api')?.address ?? '', account.liveKey);
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
  });

  after(async () => {
    await Promise.all([...processes.values()].map((role) => role.kill()));
    await receiver.close();
  });

  const deliveredIds = () => new Set(receiver.requests.map(({ headers }) => String(headers['webhook-id'])));

  it('loses no acknowledged event', async () => {
    const posting = postEvents(client);
    await eventually('half of the events', () => (posting.count() >= events / 2 ? true : null));
    await processes.get('api')?.kill();
    processes.set('api', await startRoleProcess('api', settings));
    const { acknowledged } = await posting.done;
    const missing = await eventually(
      'all deliveries',
      () => {
        const delivered = deliveredIds();
        const left = [...acknowledged].filter((id) => !delivered.has(id));
        return left.length === 0 ? left : null;
      },
      60_000,
    );
    expect(missing).to.deep.equal([]);
  });

  it('shows every acknowledged event as delivered', async () => {
    const ids = deliveredIds();
    const statuses = new Map<string, number>();
    await eventually('a delivered status of each', async () => {
      statuses.clear();
      for (const id of [...ids].slice(-200)) {
        const { body } = await client.get(`/v1/events/${id}`);
        const [delivery] = (body['deliveries'] ?? []) as readonly { status: string }[];
        const status = delivery?.status ?? 'none';
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      return statuses.size === 1 && statuses.has('delivered') ? true : null;
    });
    expect([...statuses.keys()]).to.deep.equal(['delivered']);
  });
});

/** Posts events over several connections. Only a 201 acknowledges an event. */
function postEvents(client: Client): { readonly count: () => number; readonly done: Promise<Posted> } {
  const acknowledged = new Set<string>();
  let next = 0;
  const post = async () => {
    while (next < events) {
      next += 1;
      try {
        const { status, body } = await client.post('/v1/events', { type: 'load.event', data: { next } });
        if (status === 201) {
          acknowledged.add(String(body['id']));
        }
      } catch {
        // The API is unavailable for a moment, so nothing was acknowledged.
        await pause(10);
      }
    }
  };
  const done = Promise.all(Array.from({ length: connections }, post)).then(() => ({ acknowledged }));
  return { count: () => acknowledged.size, done };
}

async function freePort(): Promise<number> {
  const { default: getPort } = await import('get-port');
  return getPort({ host: '127.0.0.1' });
}
