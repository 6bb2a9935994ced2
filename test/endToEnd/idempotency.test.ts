import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import { createAccount } from '../../cli/accounts/createAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import { withStores } from '../../cli/environment/stores.js';
import { loadConfig, type Config } from '../../shared/settings/config.js';
import { connectMongo, type Mongo } from '../../shared/store/client/client.js';
import { openLogReader, type LogReader } from '../api/support/records.js';
import { eventually } from '../support/eventually.js';
import { createOpened } from '../support/opened.js';
import { startRoleProcess, type RoleProcess } from '../support/roleProcess.js';
import { isolatedSettings } from '../support/settings.js';

const requests = 300;
const connections = 50;
/** The number of responses before the crash. By then many requests are between their append and their response. */
const answeredBeforeKill = 100;

interface Keyed {
  readonly key: string;
  /** The text that identifies the event. */
  readonly marker: string;
}

describe('requests with idempotency keys during crashes of an API process', () => {
  const opened = createOpened();
  const keyed: readonly Keyed[] = Array.from({ length: requests }, () => ({
    key: randomUUID(),
    marker: randomUUID(),
  }));
  const answered = new Map<string, string>();
  let config: Config;
  let mongo: Mongo;
  let log: LogReader;
  let liveKey: string;

  before(async () => {
    const settings = await isolatedSettings();
    config = loadConfig(settings);
    await migrate(config);
    const roles: RoleProcess[] = [];
    for (const role of ['projections', 'api', 'api'] as const) {
      const started = await startRoleProcess(role, settings);
      opened.add(role, started.kill);
      roles.push(started);
    }
    const [, doomed, other] = roles;
    mongo = await connectMongo(config.mongodb.url, 'test');
    opened.add('mongodb', mongo.close);
    log = await openLogReader({ config }, ['events']);
    opened.add('log reader', log.close);
    const terms = { plan: 'enterprise', requestsPerSecond: 100_000 } as const;
    ({ liveKey } = await withStores(config, ({ commands }) =>
      createAccount(commands, { name: 'Kills', email: 'kills@example.com', ...terms }, new Date()),
    ));
    await postAll(doomed?.address ?? '', async () => {
      if (answered.size === answeredBeforeKill) {
        await doomed?.kill();
      }
    });
    // As if the minute had passed for which the API waits for a request in flight.
    await mongo.database
      .collection('idempotency')
      .updateMany({ answer: { $exists: false } }, { $set: { heldUntil: new Date(0) } });
    await postAll(other?.address ?? '');
  });

  after(() => opened.releaseAll());

  const post = async (address: string, { key, marker }: Keyed): Promise<string | null> => {
    const response = await fetch(`${address}/v1/events`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${liveKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ type: 'order.completed', data: { marker } }),
    });
    const body = (await response.json()) as { readonly id: string };
    return response.status === 201 ? body.id : null;
  };

  /** Posts all requests that have no 201 yet. */
  const postAll = async (address: string, onAnswer: () => Promise<void> = () => Promise.resolve()) => {
    const left = keyed.filter(({ marker }) => !answered.has(marker));
    const work = async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const id = await post(address, next).catch(() => null);
        if (id !== null) {
          answered.set(next.marker, id);
          await onAnswer();
        }
      }
    };
    await Promise.all(Array.from({ length: connections }, work));
  };

  it('are all completed by another process', () => {
    expect(answered.size).to.equal(requests);
  });

  it('lead to one event each, the one in the response, no matter how often the log contains its record', async () => {
    const idsInLog = async () => {
      const records = await log.recordsWith('events', 'marker');
      const ids = new Map<string, Set<string>>();
      for (const { id, value } of records) {
        const { marker } = JSON.parse(value) as { readonly marker: string };
        ids.set(marker, (ids.get(marker) ?? new Set()).add(id));
      }
      return ids.size === requests ? ids : null;
    };
    const ids = await eventually('all events in the log', idsInLog);
    const wrong = [...ids].filter(([marker, each]) => [...each].join() !== answered.get(marker));
    expect(wrong).to.deep.equal([]);
  });
});
