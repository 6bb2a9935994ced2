import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';
import { z } from 'zod';

import { readUsage } from '../../bench/processes/processUsage.js';
import { createAccount } from '../../cli/accounts/createAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import { withStores } from '../../cli/environment/stores.js';
import type { RoleName } from '../../cli/roles/runRole.js';
import { loadConfig, type Config } from '../../shared/settings/config.js';
import { appendBacklog } from '../support/backlog.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { residentMebibytes } from '../support/residentMemory.js';
import { startRoleProcess, type RoleProcess } from '../support/roleProcess.js';
import { isolatedSettings, type Settings } from '../support/settings.js';

/**
 * The number of deliveries that wait, and the events that are appended each second. A smaller number of deliveries makes
 * a quick run, whose memory has not settled.
 */
const { PARKED_DELIVERIES: parked, PARKED_PER_SECOND: perSecond } = z
  .object({
    PARKED_DELIVERIES: z.coerce.number().int().positive().default(1_000_000),
    PARKED_PER_SECOND: z.coerce.number().int().positive().default(1_000),
  })
  .parse(process.env);
/** Memory is measured after each part. After the first, caches and connections have their final size. */
const partSize = Math.max(10_000, Math.ceil(parked / 10));
const partitions = 12;
const roles: readonly RoleName[] = ['projections', 'delivery', 'api'];
const settings: Settings = {
  POSTRIDER_PARTITIONS: String(partitions),
  // A webhook is disabled after days of failures, and a delivery is exhausted after this schedule.
  POSTRIDER_RETRY_SCHEDULE: Array<string>(20).fill('1h').join(','),
};

/** The memory by which the delivery process may grow. The ids alone of a million deliveries would take 30 MiB. */
const allowedMebibytes = 30;
const calmMs = 30_000;
/** The share of one core that the delivery process may use while nothing but the backlog exists. */
const allowedShare = 0.1;
const restartMs = 10_000;
const otherMs = 5_000;
const otherEvents = 100;
const releasedFirst = 2_000;
/** Deliveries that were attempted or loaded before the recovery are released out of order. */
const allowedInversions = 0.02;

interface Measured {
  readonly growth: number;
  readonly share: number;
  readonly waits: readonly number[];
  readonly resumedMs: number;
}

describe(`${parked.toLocaleString('en')} deliveries that wait for one webhook`, function () {
  this.timeout(5_400_000);

  const places = new Map<string, number>();
  let config: Config;
  let own: Settings;
  let delivery: RoleProcess;
  let client: Client;
  let hanging: Receiver;
  let quick: Receiver;
  let webhookId: string;
  let answers = false;
  let measured: Measured;
  /** When each event of the other webhook was posted, by its id. */
  const postedAt = new Map<string, number>();
  const released: number[] = [];

  before(async () => {
    own = await isolatedSettings(settings);
    config = loadConfig(own);
    await migrate(config);
    const started = new Map<RoleName, RoleProcess>();
    for (const name of roles) {
      started.set(name, await startRoleProcess(name, own));
    }
    delivery = started.get('delivery') ?? expect.fail('no delivery process');
    hanging = await startReceiver(({ headers }, response) => {
      if (answers) {
        released.push(places.get(String(headers['webhook-id'])) ?? 0);
        response.end();
      }
    });
    quick = await startReceiver();
    const plan = { plan: 'enterprise', requestsPerSecond: 100_000 } as const;
    const account = await withStores(config, ({ commands }) =>
      createAccount(commands, { name: 'Parked', email: 'parked@example.com', ...plan }, new Date()),
    );
    client = createClient(started.get('api')?.address ?? '', account.liveKey);
    const create = (url: string, type: string) => client.post('/v1/webhooks', { url, events: [type] });
    webhookId = String((await create(hanging.url, 'order.completed')).body['id']);
    await create(quick.url, 'quick');

    const growth = await parkAll(account.id);
    const share = await shareOfCalm();
    await postOthers(otherEvents);
    const waits = await waitsOfOther();
    const resumedMs = await restart();
    measured = { growth, share, waits, resumedMs };
    process.stdout.write(
      `    memory grew by ${Math.round(growth)} MiB, ${(100 * share).toFixed(1)} % of a core. ` +
        `Slowest other webhook ${Math.max(...waits)} ms. ` +
        `First attempt ${resumedMs} ms after the restart\n`,
    );
    answers = true;
    await eventually(
      'the oldest deliveries',
      () => (released.length >= releasedFirst ? true : null),
      120_000,
    );
  });

  /** Appends all events. Returns by how much the memory of the delivery process grows after the first part, in MiB. */
  async function parkAll(accountId: string): Promise<number> {
    const memory: number[] = [];
    while (places.size < parked) {
      const lagMs = await park(accountId, Math.min(partSize, parked - places.size));
      memory.push(await residentMebibytes(delivery.pid));
      process.stdout.write(
        `    ${places.size} parked, ${lagMs} ms after the last event, memory ${Math.round(memory.at(-1) ?? 0)} MiB\n`,
      );
    }
    return (memory.at(-1) ?? 0) - (memory[0] ?? 0);
  }

  /**
   * Appends events at their rate, and posts an event of another webhook each second.
   * @returns the time from the last event until the read model shows that all deliveries so far wait, in milliseconds
   */
  async function park(accountId: string, count: number): Promise<number> {
    const target = places.size + count;
    await withStores(config, async ({ log }) => {
      for (let dueAt = performance.now(); places.size < target; dueAt += 1000) {
        await pause(Math.max(0, dueAt - performance.now()));
        const ids = await appendBacklog(log, accountId, Math.min(perSecond, target - places.size));
        ids.forEach((id) => places.set(id, places.size));
        await postOthers(1);
      }
    });
    const startedAt = performance.now();
    await eventually(
      `${target} waiting deliveries`,
      async () => {
        const { body } = await client.get(`/v1/webhooks/${webhookId}/health`);
        return Number(body['pending']) + Number(body['retrying']) >= target ? true : null;
      },
      3_600_000,
    );
    return Math.round(performance.now() - startedAt);
  }

  async function shareOfCalm(): Promise<number> {
    const [startedAt, before] = [performance.now(), (await readUsage(delivery.pid)).cpuMs];
    await eventually(
      'the end of the calm',
      () => (performance.now() - startedAt >= calmMs ? true : null),
      2 * calmMs,
    );
    return ((await readUsage(delivery.pid)).cpuMs - before) / (performance.now() - startedAt);
  }

  async function postOthers(count: number): Promise<void> {
    for (let event = 0; event < count; event += 1) {
      const at = Date.now();
      const { body } = await client.post('/v1/events', { type: 'quick', data: {} });
      postedAt.set(String(body['id']), at);
    }
  }

  async function waitsOfOther(): Promise<readonly number[]> {
    const requests = await quick.received(postedAt.size, 60_000);
    return requests.map(
      ({ headers, receivedAt }) => receivedAt - (postedAt.get(String(headers['webhook-id'])) ?? 0),
    );
  }

  /** Kills delivery and starts it again. Returns the time from its start to its first attempt of the backlog. */
  async function restart(): Promise<number> {
    await delivery.kill();
    const attempts = hanging.requests.length;
    const startedAt = performance.now();
    delivery = await startRoleProcess('delivery', own);
    await eventually(
      'an attempt after the restart',
      () => (hanging.requests.length > attempts ? true : null),
      60_000,
    );
    return Math.round(performance.now() - startedAt);
  }

  it('leave the memory of the delivery process unchanged', () => {
    expect(measured.growth).to.be.below(allowedMebibytes);
  });

  it('cost the delivery process little CPU time while they wait', () => {
    expect(measured.share).to.be.below(allowedShare);
  });

  it('do not delay another webhook', () => {
    expect(Math.max(...measured.waits)).to.be.below(otherMs);
  });

  it('are attempted at once after a restart of delivery', () => {
    expect(measured.resumedMs).to.be.below(restartMs);
  });

  it('are delivered oldest first when the webhook recovers', () => {
    // Each partition has its own order, and all partitions advance together.
    const late = released.slice(0, releasedFirst).filter((place) => place > 4 * releasedFirst);
    expect(late.length / releasedFirst).to.be.below(allowedInversions);
  });
});
