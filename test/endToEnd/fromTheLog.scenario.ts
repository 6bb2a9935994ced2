import { expect } from 'chai';

import { allPartitions } from '../../shared/store/models/modelProgress.js';
import { modelDefinitions, modelNames } from '../../shared/store/models/modelDefinitions.js';
import { openAccount, type TestAccount } from '../api/support/accounts.js';
import { createApiKey } from '../api/support/apiKeys.js';
import { postEvent } from '../api/support/events.js';
import { changedAnswers, everyAnswer } from '../api/support/everyAnswer.js';
import { createWebhook } from '../api/support/webhooks.js';
import { eventually } from '../support/eventually.js';
import { plainRecord } from '../support/log.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';

const modelsTimeoutMs = 30_000;
const day = 24 * 60 * 60 * 1000;

describe('every GET after the loss of MongoDB’s data', () => {
  let service: TestService;
  let account: TestAccount;
  let receiver: Receiver;
  let failing: Receiver;
  let webhookIds: { readonly good: string; readonly bad: string };
  let answersBefore: ReadonlyMap<string, string>;
  let answersAfter: ReadonlyMap<string, string>;

  before(async () => {
    service = await startService({ POSTRIDER_RETRY_SCHEDULE: '1s' });
    receiver = await startReceiver();
    failing = await startReceiver((_request, response) => response.writeHead(500).end('no'));
    account = await openAccount(service);
    await makeHistory();
    await untilQuiet();
    answersBefore = await everyAnswer(account, filteredLists());
    await service.withStores(({ mongo }) => mongo.database.dropDatabase());
    await untilComplete();
    answersAfter = await everyAnswer(account, filteredLists());
  });

  async function makeHistory(): Promise<void> {
    const { live, test } = account;
    const good = await createWebhook(live, { url: receiver.url });
    const bad = await createWebhook(live, { url: failing.url, events: ['order.completed'] });
    const gone = await createWebhook(live, { url: receiver.url, events: ['order.completed'] });
    webhookIds = { good: good.id, bad: bad.id };
    await createWebhook(test);
    const ids = (await Promise.all(Array.from({ length: 10 }, () => postEvent(live)))).map(({ id }) => id);
    await postEvent(live, 'user.signup', { text: 'é \u0001 💶', list: [1, 2.5, null] });
    await postEvent(test);
    await live.delete(`/v1/webhooks/${gone.id}`);
    await live.patchJson(`/v1/webhooks/${good.id}`, { description: 'The good one', events: ['*'] });
    await live.postJson(`/v1/webhooks/${good.id}/rotate-secret`, {});
    await live.postJson(`/v1/webhooks/${good.id}/test`, {});
    await eventually('a failed delivery', async () =>
      (await live.get('/v1/events?deliveryStatus=failed')).text.includes(ids[0] ?? '') ? true : null,
    );
    await live.postJson(`/v1/events/${ids[0] ?? ''}/resend`, { webhookId: bad.id });
    await live.patchJson(`/v1/webhooks/${bad.id}`, { status: 'disabled' });
    const key = await createApiKey(live, { mode: 'live' });
    await createApiKey(live, { mode: 'test' });
    await live.delete(`/v1/api-keys/${key.id}`);
    await service.withStores(async ({ log }) => {
      await log.append(plainRecord('events', 'unreadable'));
      await log.append(plainRecord('deliveries', 'unreadable'));
    });
  }

  /** Resolves when no delivery is open, and every model has read the whole log. */
  async function untilQuiet(): Promise<void> {
    await eventually(
      'the end of all deliveries',
      async () => {
        const open = await Promise.all(
          ['pending', 'retrying'].map((status) => account.live.get(`/v1/events?deliveryStatus=${status}`)),
        );
        return open.every(({ text }) => text.includes('"data":[]')) ? true : null;
      },
      modelsTimeoutMs,
    );
    await untilComplete();
  }

  async function untilComplete(): Promise<void> {
    await service.withStores(async ({ offsets, progress }) => {
      for (const model of modelNames) {
        for (const topic of modelDefinitions[model].topics) {
          const ends = allPartitions(await offsets.ends(topic));
          expect(await progress[model].reached(topic, ends, modelsTimeoutMs), model).to.equal(true);
        }
      }
    });
    await eventually('the models to be read', async () => {
      const { status } = await account.live.get('/v1/webhooks');
      return status === 200 ? true : null;
    });
  }

  function filteredLists(): readonly string[] {
    const { good, bad } = webhookIds;
    // The same hours before and after the loss.
    const from = new Date(Date.now() - day).toISOString().slice(0, 10);
    const to = new Date(Date.now() + day).toISOString().slice(0, 10);
    const figures = `/v1/stats/deliveries?from=${from}T00:00:00Z&to=${to}T00:00:00Z`;
    return [
      '/v1/events?limit=3',
      '/v1/events?type=user.signup',
      `/v1/events?webhookId=${bad}`,
      `/v1/events?webhookId=${good}&deliveryStatus=delivered`,
      '/v1/webhooks?status=disabled',
      '/v1/audit-log?limit=100',
      `${figures}&bucket=hour`,
      `${figures}&bucket=day&webhookId=${good}`,
    ];
  }

  it('covers every route whose data is from the log', () => {
    const asked = [...answersBefore.keys()];
    const routes = [
      '/v1/events/evt_',
      '/v1/webhooks/wh_',
      '/v1/api-keys',
      '/v1/audit-log',
      '/v1/stats/deliveries',
    ];
    expect(routes.filter((route) => !asked.some((path) => path.startsWith(`live ${route}`)))).to.deep.equal(
      [],
    );
  });

  it('returns the same response as before, byte for byte', () => {
    expect(changedAnswers(answersBefore, answersAfter)).to.deep.equal([]);
  });
});
