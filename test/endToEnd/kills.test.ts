import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import { createAccount } from '../../cli/accounts/createAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import { withStores } from '../../cli/environment/stores.js';
import { loadConfig } from '../../shared/settings/config.js';
import { openLogReader, type LogReader } from '../api/support/records.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startRoleProcess, type RoleProcess } from '../support/roleProcess.js';
import { isolatedSettings } from '../support/settings.js';
import { openMongo } from '../support/mongo.js';

const requests = 600;
const connections = 50;
/** The number of responses before the crash. By then many requests are between their append and their response. */
const answeredBeforeKill = 200;

interface Wanted {
  /** The idempotency key, which every other request has. */
  readonly key: string | null;
  /** The text that identifies the event. */
  readonly marker: string;
}

/** Every request is repeated at another process until it has a 201. Only a 201 acknowledges an event. */
describe('an API process that is killed under load', () => {
  const wanted: readonly Wanted[] = Array.from({ length: requests }, (_, index) => ({
    key: index % 2 === 0 ? randomUUID() : null,
    marker: randomUUID(),
  }));
  /** The ids of the acknowledged events, by their markers. */
  const acknowledged = new Map<string, string>();
  let acknowledgedBeforeKill: readonly string[];
  let liveKey: string;
  let client: Client;
  let receiver: Receiver;
  let log: LogReader;

  before(async () => {
    const settings = await isolatedSettings({ POSTRIDER_PARTITIONS: '6' });
    const config = loadConfig(settings);
    await migrate(config);
    const start = async (role: 'projections' | 'delivery' | 'api'): Promise<RoleProcess> => {
      const started = await startRoleProcess(role, settings);
      return started;
    };
    const [doomed, other] = await Promise.all([
      start('api'),
      start('api'),
      start('projections'),
      start('delivery'),
    ]);
    const mongo = await openMongo(config.mongodb.url);
    log = await openLogReader({ config }, ['events']);
    receiver = await startReceiver();
    const terms = { plan: 'enterprise', requestsPerSecond: 100_000 } as const;
    ({ liveKey } = await withStores(config, ({ commands }) =>
      createAccount(commands, { name: 'Kills', email: 'kills@example.com', ...terms }, new Date()),
    ));
    client = createClient(other.address, liveKey);
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });

    await postAll(doomed.address, async () => {
      if (acknowledged.size === answeredBeforeKill) {
        await doomed.kill();
      }
    });
    acknowledgedBeforeKill = [...acknowledged.values()];
    // As if the minute had passed for which the API waits for a request in flight.
    await mongo.database
      .collection('idempotency')
      .updateMany({ answer: { $exists: false } }, { $set: { heldUntil: new Date(0) } });
    await postAll(other.address);
  });

  const post = async (address: string, { key, marker }: Wanted): Promise<string | null> => {
    const response = await fetch(`${address}/v1/events`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${liveKey}`,
        'content-type': 'application/json',
        ...(key === null ? {} : { 'idempotency-key': key }),
      },
      body: JSON.stringify({ type: 'order.completed', data: { marker } }),
    });
    const body = (await response.json()) as { readonly id: string };
    return response.status === 201 ? body.id : null;
  };

  /** Posts all requests that have no 201 yet. */
  const postAll = async (address: string, onAnswer: () => Promise<void> = () => Promise.resolve()) => {
    const left = wanted.filter(({ marker }) => !acknowledged.has(marker));
    const work = async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const id = await post(address, next).catch(() => null);
        if (id !== null) {
          acknowledged.set(next.marker, id);
          await onAnswer();
        }
      }
    };
    await Promise.all(Array.from({ length: connections }, work));
  };

  it('loses no acknowledged event, which is delivered and shown as delivered', async () => {
    const missing = () => {
      const delivered = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));
      return [...acknowledged.values()].filter((id) => !delivered.has(id));
    };
    await eventually('all deliveries', () => (missing().length === 0 ? true : null));
    for (const id of acknowledgedBeforeKill.slice(-100)) {
      await eventually(`the delivered status of ${id}`, async () => {
        const { body } = await client.get(`/v1/events/${id}`);
        const [delivery] = (body['deliveries'] ?? []) as readonly { status: string }[];
        return delivery?.status === 'delivered' ? true : null;
      });
    }
  });

  it('leaves no request without a 201 from another process', () => {
    expect(acknowledged.size).to.equal(requests);
    expect(acknowledgedBeforeKill.length).to.be.within(answeredBeforeKill, requests - 1);
  });

  it('leads to one event for each idempotency key, the one in the response, however often the log contains it', async () => {
    const keyed = wanted.filter(({ key }) => key !== null);
    const ids = await eventually('all events in the log', async () => {
      const found = new Map<string, Set<string>>();
      for (const { id, value } of await log.recordsWith('events', 'marker')) {
        const { marker } = JSON.parse(value) as { readonly marker: string };
        found.set(marker, (found.get(marker) ?? new Set()).add(id));
      }
      return keyed.every(({ marker }) => found.has(marker)) ? found : null;
    });
    const wrong = keyed.filter(
      ({ marker }) => [...(ids.get(marker) ?? [])].join() !== acknowledged.get(marker),
    );
    expect(wrong).to.deep.equal([]);
  });
});
