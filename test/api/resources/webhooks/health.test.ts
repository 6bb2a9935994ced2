import { expect } from 'chai';

import {
  deliveryHealthSchema,
  webhookHealthSchema,
} from '../../../../api/resources/webhooks/healthSchemas.js';
import { webhookListSchema } from '../../../../api/resources/webhooks/schemas.js';
import { createRandom } from '../../../../shared/core/random.js';
import { createIdentifiers } from '../../../../shared/domain/core/identifiers.js';
import type { DeliveryFact } from '../../../../shared/domain/deliveries/deliveryFacts.js';
import { deliveryRecords } from '../../../../shared/log/records/deliveries.js';
import { encodeEvent } from '../../../../shared/log/records/events.js';
import { placementOf } from '../../../../shared/log/topics/partition.js';
import { canceled, failed, failedForGood, succeeded } from '../../../support/deliveryFacts.js';
import { eventually } from '../../../support/eventually.js';
import { secondsLater } from '../../../support/facts.js';
import { startReceiver, type Receiver } from '../../../support/receiver.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { getCurrent, read, refusalOf, type Client } from '../../support/client.js';
import { newAttemptId } from '../../support/deliveries.js';
import { postEvent } from '../../support/events.js';
import { createWebhook } from '../../support/webhooks.js';

const identifiers = createIdentifiers(createRandom());
/** No event has this type, so the service makes no attempt itself. */
const unmatched = { events: ['nothing.matches'] };

/** Appends an event for each list of facts. Equal facts get different ids. */
async function appendEvents(
  account: TestAccount,
  facts: readonly (readonly DeliveryFact[])[],
): Promise<void> {
  const records = facts.flatMap((ofEvent) => {
    const created = new Date();
    const id = identifiers.create('evt', created);
    const owner = { accountId: account.id, mode: 'live' } as const;
    const event = {
      ...owner,
      id,
      type: 'a.b',
      created,
      data: Buffer.from('{}'),
      onlyWebhookId: null,
      tenantId: null,
    };
    const outcomes = ofEvent.map((fact) =>
      deliveryRecords.encode(
        withOwnId(fact),
        { ...owner, id: identifiers.createRecordId(created), key: id, at: created },
        placementOf({ id }, account.service.config.topics.partitions),
      ),
    );
    return [encodeEvent(event), ...outcomes];
  });
  // The order of the records matters to a test, so they are appended one after the other.
  await account.service.withStores(async ({ log }) => {
    for (const record of records) {
      await log.append(record);
    }
  });
}

function withOwnId(fact: DeliveryFact): DeliveryFact {
  return fact.type === 'postrider.delivery.attempted'
    ? { ...fact, value: { ...fact.value, attemptId: newAttemptId() } }
    : fact;
}

async function healthOf(client: Client, webhookId: string) {
  return read(await getCurrent(client, `/v1/webhooks/${webhookId}/health`), webhookHealthSchema);
}

type Health = Awaited<ReturnType<typeof healthOf>>;

/** The health of a webhook once it includes everything that was appended before the call. */
async function currentHealth(client: Client, webhookId: string): Promise<Health> {
  const since = new Date();
  return eventually('the health', async () => {
    const health = await healthOf(client, webhookId);
    return new Date(health.asOf) > since ? health : null;
  });
}

async function totals(client: Client) {
  return read(await getCurrent(client, '/v1/delivery-health'), deliveryHealthSchema);
}

describe('The health of a webhook', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount();
  });

  const healthAfter = async (...facts: readonly (readonly DeliveryFact[])[]) => {
    const { id } = await createWebhook(account.live, unmatched);
    const toWebhook = (fact: DeliveryFact): DeliveryFact =>
      ({ ...fact, value: { ...fact.value, webhookId: id } }) as DeliveryFact;
    await appendEvents(
      account,
      facts.map((ofEvent) => ofEvent.map(toWebhook)),
    );
    return currentHealth(account.live, id);
  };

  const at = (second: number) => ({ attemptedAt: secondsLater(second) });
  const timeout = { statusCode: null, error: { code: 'timeout', message: 'No response' } } as const;

  it('is healthy without an attempt', async () => {
    const { asOf: _asOf, webhookId: _webhookId, ...health } = await healthAfter();

    expect(health).to.deep.equal({
      state: 'healthy',
      ...{ pending: 0, retrying: 0, failed: 0, canceled: 0, failures: [] },
      ...{ firstFailureAt: null, lastFailureAt: null, lastSuccessAt: null },
      ...{ nextAttemptAt: null, oldestOpenEventAt: null },
    });
  });

  it('is failing if the last attempt has failed or a delivery is retrying, and undelivered if one has failed', async () => {
    for (const [state, facts] of [
      ['failing', [[succeeded(at(1))], [failedForGood(at(2))]]],
      ['failing', [[failed(at(1))], [succeeded(at(2))]]],
      ['undelivered', [[failedForGood(at(1))], [succeeded(at(2))]]],
      ['healthy', [[canceled()], [succeeded(at(1))]]],
      ['healthy', [[failedForGood(at(1)), succeeded({ ...at(2), number: 2 })]]],
    ] as const) {
      expect((await healthAfter(...facts)).state, JSON.stringify(facts)).to.equal(state);
    }
  });

  it('has the numbers of deliveries, their errors, and the times of attempts', async () => {
    // Delivery makes an attempt that is due.
    const nextAttemptAt = new Date(Date.now() + 3_600_000);
    const health = await healthAfter(
      [succeeded(at(1))],
      [failedForGood(at(2))],
      [failedForGood({ ...at(4), ...timeout })],
      [failed({ ...at(3), nextAttemptAt })],
      [canceled()],
    );
    const timeOf = (second: number) => secondsLater(second).toISOString();
    const error = { code: 'http_status', statusCode: 500 };

    expect(health).to.deep.include({
      ...{ pending: 0, retrying: 1, failed: 2, canceled: 1 },
      failures: [
        { ...error, count: 2, firstAt: timeOf(2), lastAt: timeOf(3) },
        { code: 'timeout', statusCode: null, count: 1, firstAt: timeOf(4), lastAt: timeOf(4) },
      ],
      nextAttemptAt: nextAttemptAt.toISOString(),
      lastSuccessAt: timeOf(1),
    });
  });

  it('is not failing by attempts to an earlier URL', async () => {
    const { webhookId, ...before } = await healthAfter([failedForGood(at(1))]);
    await account.live.patchJson(`/v1/webhooks/${webhookId}`, { url: 'https://example.com/new' });
    const after = await currentHealth(account.live, webhookId);
    const times = { firstFailureAt: null, lastFailureAt: null, lastSuccessAt: null };

    expect(before).to.include({ state: 'failing', lastFailureAt: secondsLater(1).toISOString() });
    expect(after).to.deep.include({ state: 'undelivered', failed: 1, ...times });
  });

  it('is disabled if the webhook is disabled', async () => {
    const { id } = await createWebhook(account.live, unmatched);
    await account.live.patchJson(`/v1/webhooks/${id}`, { status: 'disabled' });

    expect(await healthOf(account.live, id)).to.have.property('state', 'disabled');
  });
});

describe('The health of real deliveries', () => {
  let receiver: Receiver;
  let account: TestAccount;
  before(async () => {
    receiver = await startReceiver((_request, response) => response.writeHead(503).end());
    account = await openAccount();
  });

  it('includes test deliveries and what was posted before its `asOf`, which is less than a second old', async () => {
    const { id } = await createWebhook(account.live, { url: receiver.url });
    await account.live.postJson(`/v1/webhooks/${id}/test`, {});
    const event = await postEvent(account.live);
    const health = await eventually('both deliveries', async () => {
      const found = await currentHealth(account.live, id);
      return found.failed === 1 && found.retrying === 1 ? found : null;
    });

    expect(health).to.deep.include({ state: 'failing', oldestOpenEventAt: event.created });
    // Other work on the machine may delay the projections for a moment.
    await eventually('a current `asOf`', async () => {
      const { asOf } = await healthOf(account.live, id);
      return Date.now() - new Date(asOf).getTime() < 1000 ? true : null;
    });
  });
});

describe('The health of all webhooks', () => {
  let account: TestAccount;
  const failures = [40, 1, 2, 10];
  let webhookIds: readonly string[];
  before(async () => {
    account = await openAccount();
    const webhooks = await Promise.all(failures.map(() => createWebhook(account.live, unmatched)));
    webhookIds = webhooks.map(({ id }) => id);
    const facts = failures.flatMap((number, index) =>
      Array.from({ length: number }, () => [failedForGood({ webhookId: webhookIds[index] ?? '' })]),
    );
    await appendEvents(account, facts);
    await currentHealth(account.live, webhookIds[0] ?? '');
  });

  const listed = async (client: Client, query: string) =>
    read(await getCurrent(client, `/v1/webhooks${query}`), webhookListSchema).data;

  it('is in a list with `include=health`, and a webhook with many failures hides no other', async () => {
    const found = new Map(
      (await listed(account.live, '?include=health')).map(({ id, health }) => [id, health?.failed]),
    );

    expect(webhookIds.map((id) => found.get(id))).to.deep.equal(failures);
  });

  it('is not in a list without `include`, which has no other value', async () => {
    expect((await listed(account.live, '')).filter(({ health }) => health !== undefined)).to.deep.equal([]);
    expect(refusalOf(await account.live.get('/v1/webhooks?include=secrets'))).to.equal(
      '400 parameter_invalid include',
    );
  });

  it('counts the webhooks by state and the deliveries by status, without deleted webhooks', async () => {
    const before = await totals(account.live);
    await account.live.delete(`/v1/webhooks/${webhookIds[0] ?? ''}`);
    await account.live.patchJson(`/v1/webhooks/${webhookIds[1] ?? ''}`, { status: 'disabled' });
    const after = await totals(account.live);
    const shown = ({ webhooks, failed: count }: typeof before) => ({ webhooks, failed: count });

    expect([shown(before), shown(after)]).to.deep.equal([
      { webhooks: { healthy: 0, undelivered: 0, failing: 4, disabled: 0 }, failed: 53 },
      { webhooks: { healthy: 0, undelivered: 0, failing: 2, disabled: 1 }, failed: 13 },
    ]);
  });

  it('counts nothing of the other mode', async () => {
    const { asOf: _asOf, ...zeros } = await totals(account.test);

    expect(zeros).to.deep.equal({
      webhooks: { healthy: 0, undelivered: 0, failing: 0, disabled: 0 },
      ...{ pending: 0, retrying: 0, failed: 0, canceled: 0, oldestOpenEventAt: null },
    });
  });
});
