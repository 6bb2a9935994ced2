import { expect } from 'chai';

import { summarizeLatencies } from '../../bench/measure/latencies.js';
import { withStores } from '../../cli/environment/stores.js';
import { appendBacklog } from '../support/backlog.js';
import type { Receiver } from '../support/receiver.js';
import {
  postAtRate,
  startRoleProcesses,
  untilReceived,
  waitsOf,
  type ChaosAccount,
  type RoleProcesses,
} from './roleProcesses.js';

const backlog = 50_000;
/** The longest delay of a delivery by another tenant or another account, in milliseconds. */
const longestDelayMs = 5_000;
/** The highest number of webhooks of a tenant. */
const manyWebhooks = 100;
/** 40 s alone, next to webhooks that answer, and next to webhooks that hang. */
const measured = { count: 1000, perSecond: 25 };

describe('a tenant', function () {
  this.timeout(600_000);

  let running: RoleProcesses;
  let platform: ChaosAccount;
  let quick: Receiver;

  const postFor = (tenantId: string) =>
    platform.client.post('/v1/events', { type: 'order.completed', data: {}, tenantId });

  const createTenant = (tenantId: string) => platform.client.put(`/v1/tenants/${tenantId}`, {});

  const waitsAtRate = async (count: number, perSecond: number): Promise<readonly number[]> => {
    const createdAt = await postAtRate(() => postFor('quick'), { count, perSecond });
    await untilReceived(quick, createdAt, 60_000);
    return waitsOf(quick, createdAt);
  };

  beforeEach(async () => {
    running = await startRoleProcesses({ POSTRIDER_PARTITIONS: '12' });
    platform = await running.openAccount();
    await createTenant('busy');
    await createTenant('quick');
    quick = (await running.createWebhook(platform, { type: '*', tenantId: 'quick' })).receiver;
    await postFor('quick');
    await quick.received(1);
  });

  afterEach(() => running.stop());

  it(`with a backlog of ${backlog.toLocaleString('en')} events delays other tenants and other accounts by at most 5 s`, async () => {
    await running.createWebhook(platform, { type: '*', tenantId: 'busy' });
    const other = await running.openAccount();
    const elsewhere = await running.createWebhook(other, { type: '*' });
    const post = () => other.client.post('/v1/events', { type: 'order.completed', data: {} });
    const appending = withStores(running.config, ({ log }) =>
      appendBacklog(log, platform.id, backlog, { tenantId: 'busy' }),
    );
    const [waits, createdAt] = await Promise.all([
      waitsAtRate(200, 10),
      postAtRate(post, { count: 200, perSecond: 10 }),
    ]);
    await appending;
    await untilReceived(elsewhere.receiver, createdAt, 120_000);
    const elsewhereWaits = waitsOf(elsewhere.receiver, createdAt);
    process.stdout.write(
      `    slowest of another tenant ${Math.max(...waits)} ms, of another account ${Math.max(...elsewhereWaits)} ms\n`,
    );

    expect(Math.max(...waits)).to.be.at.most(longestDelayMs);
    expect(Math.max(...elsewhereWaits)).to.be.at.most(longestDelayMs);
  });

  it(`with ${manyWebhooks} webhooks that hang delays another tenant by at most 5 s`, async () => {
    // The first events of a process take longer, because V8 has not compiled the code yet.
    await waitsAtRate(300, measured.perSecond);
    const alone = summarizeLatencies(await waitsAtRate(measured.count, measured.perSecond));
    // The control: the same work without a webhook that hangs.
    const answering = await nextTo('busy', true);
    const hanging = await nextTo('hanging', false);
    for (const [name, { p50, p99 }] of [
      ['alone', alone],
      [`next to ${manyWebhooks} webhooks that answer`, answering],
      [`next to ${manyWebhooks} webhooks that hang`, hanging],
    ] as const) {
      process.stdout.write(`    another tenant ${name}: p50 ${p50} ms, p99 ${p99} ms\n`);
    }

    expect(hanging.reached).to.equal(manyWebhooks);
    expect(hanging.longest).to.be.at.most(longestDelayMs);
  });

  /** The latencies of the quick tenant while another tenant gets an event a second to all of its webhooks. */
  const nextTo = async (tenantId: string, answers: boolean) => {
    await createTenant(tenantId);
    const { paths } = await running.createWebhooks(platform, { tenantId, count: manyWebhooks, answers });
    const [waits] = await Promise.all([
      waitsAtRate(measured.count, measured.perSecond),
      postAtRate(() => postFor(tenantId), { count: measured.count / measured.perSecond, perSecond: 1 }),
    ]);
    return { ...summarizeLatencies(waits), longest: Math.max(...waits), reached: paths.size };
  };
});
