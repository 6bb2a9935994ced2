import { expect } from 'chai';

import { migrate } from '../../cli/environment/migrateTopics.js';
import { createAccount } from '../../cli/accounts/createAccount.js';
import type { RoleName } from '../../cli/roles/runRole.js';
import { withStores, type Stores } from '../../cli/environment/stores.js';
import { loadConfig, type Config } from '../../shared/settings/config.js';
import { deliveryGroup } from '../../shared/log/topics/groups.js';
import { appendBacklog } from '../support/backlog.js';
import { createClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { residentMebibytes } from '../support/residentMemory.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startRoleProcess } from '../support/roleProcess.js';
import { isolatedSettings } from '../support/settings.js';

const deliveries = 10_000;
const roles: readonly RoleName[] = ['projections', 'delivery', 'api'];
/**
 * The number of deliveries before the measurement. After so many deliveries, further memory growth of the delivery
 * process is due to deferred deliveries.
 */
const warmUp = 8_000;
const data = Buffer.from(JSON.stringify({ text: 'a'.repeat(4096) }));
/**
 * The heap limit of each process. On a machine with much memory V8 collects only when the heap is three times as large
 * as needed. The size of the heap varies from run to run. With this limit V8 collects in time, and a process that kept
 * the 10,000 records would run out of memory. A heap of 96 MiB is too small for the windows (docs/operations/configure.md), so
 * `npm run chaos` runs this file alone. If other tests used the processors, all 8,000 earlier deliveries and all 10,000
 * new ones would be due before one is deferred again. An earlier delivery takes 4 KB of the heap, and a new delivery 2
 * KB.
 */
const heapMebibytes = 96;
/**
 * The memory by which the delivery process may grow. Deferred deliveries add no memory. If the process kept the
 * records, they would add 60 MiB.
 */
const allowedMebibytes = 24;

/**
 * The settings of the service, which allow 100 attempts of 2 s at the same time. Deferred deliveries get due times 20
 * ms apart, so that all are due within minutes.
 */
const settings = {
  POSTRIDER_PARTITIONS: '12',
  POSTRIDER_ATTEMPT_TIMEOUT: '2s',
  POSTRIDER_WEBHOOK_CONCURRENCY: '100',
  POSTRIDER_RETRY_SCHEDULE: Array<string>(50).fill('5s').join(','),
};

describe(`${deliveries.toLocaleString('en')} deliveries to a webhook that hangs`, function () {
  this.timeout(900_000);

  let config: Config;
  let receiver: Receiver;
  let answers = false;
  let growth: number;
  /** The ids of the events that the webhook has answered. */
  const answered = new Set<string>();

  before(async () => {
    const own = await isolatedSettings(settings);
    config = loadConfig(own);
    await migrate(config);
    const started = new Map<RoleName, { readonly pid: number; readonly address: string }>();
    for (const name of roles) {
      const role = await startRoleProcess(name, {
        ...own,
        NODE_OPTIONS: `--max-old-space-size=${heapMebibytes}`,
      });
      started.set(name, role);
    }
    receiver = await startReceiver(({ headers }, response) => {
      if (answers) {
        answered.add(String(headers['webhook-id']));
        response.end();
      }
    });
    const plan = { plan: 'enterprise', requestsPerSecond: 100_000 } as const;
    const account = await withStores(config, ({ commands }) =>
      createAccount(commands, { name: 'Hanging', email: 'hanging@example.com', ...plan }, new Date()),
    );
    const client = createClient(started.get('api')?.address ?? '', account.liveKey);
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    const memory = () => residentMebibytes(started.get('delivery')?.pid ?? 0);
    /** The largest memory of the delivery process until `count` further deliveries were attempted or deferred. */
    const mostDuring = async (stores: Stores, count: number): Promise<number> => {
      const areHandled = allAreHandled(stores);
      await appendBacklog(stores.log, account.id, count, { data });
      let most = 0;
      await eventually(
        'all deliveries to be attempted or deferred',
        async () => {
          most = Math.max(most, await memory());
          return (await areHandled()) ? true : null;
        },
        300_000,
      );
      return most;
    };
    growth = await withStores(config, async (stores) => {
      const before = await mostDuring(stores, warmUp);
      return (await mostDuring(stores, deliveries)) - before;
    });
    answers = true;
  });

  /** Whether every event was handled. An event's offset is committed once its deliveries are attempted or deferred. */
  const allAreHandled =
    ({ groups, offsets }: Stores) =>
    async (): Promise<boolean> => {
      const committed = await groups.committed(deliveryGroup(config.topics.prefix).groupId, 'events');
      return (await offsets.ends('events')).every((end, partition) => (committed[partition] ?? 0) >= end);
    };

  it('cost the delivery process a limited amount of memory', () => {
    process.stdout.write(`    grew by ${Math.round(growth)} MiB\n`);

    expect(growth).to.be.below(allowedMebibytes);
  });

  it('are all delivered once the webhook answers again', async () => {
    await eventually('all deliveries', () => (answered.size >= warmUp + deliveries ? true : null), 480_000);

    expect(answered.size).to.equal(warmUp + deliveries);
  });
});
