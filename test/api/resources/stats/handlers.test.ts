import { expect } from 'chai';

import { deliveryStatsSchema } from '../../../../api/resources/stats/routes.js';
import { failed, succeeded } from '../../../support/deliveryFacts.js';
import { eventually } from '../../../support/eventually.js';
import { testIdentifier } from '../../../support/facts.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf, type Client } from '../../support/client.js';
import { appendDeliveries, newAttemptId } from '../../support/deliveries.js';
import { postEvent } from '../../support/events.js';

const webhookId = testIdentifier('wh', 1);
const otherId = testIdentifier('wh', 2);

async function statsOf(client: Client, query: string) {
  return read(await client.get(`/v1/stats/deliveries?${query}`), deliveryStatsSchema).data;
}

/** The buckets with events or attempts. */
async function busyStatsOf(client: Client, query: string) {
  return (await statsOf(client, query)).filter(
    ({ events, succeeded: done, failed: not }) => events + done + not > 0,
  );
}

const bounds = (day: string) => `from=${day}T00:00:00Z&to=${day}T23:00:00Z`;

describe('GET /v1/stats/deliveries', () => {
  let account: TestAccount;

  // On 5 May 2026 one webhook was tried at 10:00, 10:01 and 12:00, another one at 10:00.
  before(async () => {
    account = await openAccount();
    const { id } = await postEvent(account.live);
    const at = (time: string) => ({
      attemptId: newAttemptId(),
      attemptedAt: new Date(`2026-05-05T${time}Z`),
    });
    await appendDeliveries(account, id, [
      failed({ webhookId, ...at('10:00:10'), number: 1, durationMs: 100, statusCode: 503 }),
      failed({ webhookId, ...at('10:01:00'), number: 2, durationMs: 1000, statusCode: null }),
      succeeded({ webhookId, ...at('12:00:00'), number: 3, durationMs: 10 }),
      succeeded({ webhookId: otherId, ...at('10:00:50'), number: 1, durationMs: 10 }),
    ]);
    // The buckets of each size have their own documents.
    for (const size of ['minute', 'hour', 'day']) {
      for (const webhook of ['', `&webhookId=${webhookId}`]) {
        await eventually(`all attempts in buckets of a ${size}`, async () => {
          const query = `bucket=${size}&${bounds('2026-05-05')}${webhook}`;
          const buckets = await busyStatsOf(account.live, query);
          const count = buckets.reduce((sum, { succeeded: done, failed: not }) => sum + done + not, 0);
          return count === (webhook === '' ? 4 : 3) ? true : null;
        });
      }
    }
  });

  it('counts attempts by minute', async () => {
    const minutes = await busyStatsOf(account.live, `bucket=minute&${bounds('2026-05-05')}`);

    expect(minutes).to.deep.equal([
      {
        start: '2026-05-05T10:00:00.000Z',
        events: 0,
        succeeded: 1,
        failed: 1,
        p50Ms: 9.9,
        p95Ms: 103.1,
        p99Ms: 103.1,
        byStatusCode: { '200': 1, '503': 1 },
      },
      {
        start: '2026-05-05T10:01:00.000Z',
        events: 0,
        succeeded: 0,
        failed: 1,
        p50Ms: 980.6,
        p95Ms: 980.6,
        p99Ms: 980.6,
        byStatusCode: { none: 1 },
      },
      {
        start: '2026-05-05T12:00:00.000Z',
        events: 0,
        succeeded: 1,
        failed: 0,
        p50Ms: 9.9,
        p95Ms: 9.9,
        p99Ms: 9.9,
        byStatusCode: { '200': 1 },
      },
    ]);
  });

  it('counts attempts by hour', async () => {
    const hours = await busyStatsOf(account.live, `bucket=hour&${bounds('2026-05-05')}`);

    expect(hours.map(({ start, succeeded: done, failed: not }) => [start, done, not])).to.deep.equal([
      ['2026-05-05T10:00:00.000Z', 1, 2],
      ['2026-05-05T12:00:00.000Z', 1, 0],
    ]);
  });

  it('counts attempts by day', async () => {
    const [day] = await busyStatsOf(account.live, `bucket=day&${bounds('2026-05-05')}`);

    expect(day).to.deep.include({
      start: '2026-05-05T00:00:00.000Z',
      succeeded: 2,
      failed: 2,
      byStatusCode: { '200': 2, '503': 1, none: 1 },
    });
  });

  it('counts the attempts to one webhook, and the events by their first attempts', async () => {
    const hours = await busyStatsOf(
      account.live,
      `bucket=hour&webhookId=${webhookId}&${bounds('2026-05-05')}`,
    );

    expect(hours.map(({ events, succeeded: done, failed: not }) => [events, done, not])).to.deep.equal([
      [1, 0, 2],
      [0, 1, 0],
    ]);
  });

  it('shows zeros for a minute without events', async () => {
    const from = '2026-05-05T10:02:00.000Z';
    const range = `bucket=minute&from=${from}&to=2026-05-05T10:03:00Z`;

    expect(await statsOf(account.live, range)).to.deep.equal([
      {
        start: from,
        events: 0,
        succeeded: 0,
        failed: 0,
        p50Ms: null,
        p95Ms: null,
        p99Ms: null,
        byStatusCode: {},
      },
    ]);
  });

  it('counts accepted events', async () => {
    const { live, test } = await openAccount(account.service);
    await Promise.all([postEvent(live), postEvent(live), postEvent(test)]);
    const counted = async (client: Client, count: number) =>
      eventually(`${count} events`, async () => {
        const events = (await statsOf(client, 'bucket=day')).reduce((sum, bucket) => sum + bucket.events, 0);
        return events === count ? events : null;
      });

    expect([await counted(live, 2), await counted(test, 1)]).to.deep.equal([2, 1]);
  });

  it('shows nothing of another account', async () => {
    const { live } = await openAccount(account.service);

    expect(await busyStatsOf(live, `webhookId=${webhookId}&${bounds('2026-05-05')}`)).to.deep.equal([]);
  });

  it('validates the query', async () => {
    for (const [query, refusal] of [
      ['bucket=week', '400 parameter_invalid bucket'],
      ['bucket=minute&from=2026-01-01T00:00:00Z', '400 parameter_invalid bucket'],
      ['from=2026-05-05T10:00:00Z&to=2026-05-05T09:00:00Z', '400 parameter_invalid from'],
      ['to=2026-05-05', '400 parameter_invalid to'],
      ['webhookId=1', '400 parameter_invalid webhookId'],
      ['limit=1', '400 parameter_unknown limit'],
    ] as const) {
      expect(refusalOf(await account.live.get(`/v1/stats/deliveries?${query}`)), query).to.equal(refusal);
    }
  });
});
