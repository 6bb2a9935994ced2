import { expect } from 'chai';

import { attemptListSchema } from '../../../../api/resources/attempts/routes.js';
import { eventSchema } from '../../../../api/resources/events/routes.js';
import { eventually } from '../../../support/eventually.js';
import { testIdentifier } from '../../../support/facts.js';
import { startReceiver, type Receiver } from '../../../support/receiver.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf, type Client } from '../../support/client.js';
import { postEvent } from '../../support/events.js';
import { createWebhook } from '../../support/webhooks.js';

const delivered = (client: Client, id: string, count = 1) =>
  eventually(`${count} deliveries of ${id}`, async () => {
    const { deliveries } = read(await client.get(`/v1/events/${id}`), eventSchema);
    return deliveries.filter(({ status }) => status === 'delivered').length === count ? deliveries : null;
  });

describe('POST /v1/events/{id}/resend', () => {
  let account: TestAccount;
  let live: Client;
  let receiver: Receiver;
  before(async () => {
    account = await openAccount();
    live = account.live;
    receiver = await startReceiver();
  });

  /** An event of a unique type, delivered to two webhooks. */
  async function deliveredEvent(type: string) {
    const first = await createWebhook(live, { url: receiver.url, events: [type] });
    const second = await createWebhook(live, { url: receiver.url, events: [type] });
    const { id } = await postEvent(live, type);
    await delivered(live, id, 2);
    return { id, path: `/v1/events/${id}/resend`, first: first.id, second: second.id };
  }

  const shown = (answer: Awaited<ReturnType<Client['get']>>) =>
    read(answer, eventSchema)
      .deliveries.map(({ webhookId, status }) => `${webhookId} ${status}`)
      .sort();

  const triggersOf = async (id: string, count: number) =>
    eventually(`${count} attempts`, async () => {
      const { data } = read(await live.get(`/v1/events/${id}/attempts`), attemptListSchema);
      return data.length >= count ? data.map(({ trigger }) => trigger).sort() : null;
    });

  it('restarts the named delivery, and shows it as pending and the other one unchanged', async () => {
    const { path, first, second } = await deliveredEvent('resend.one');
    const answer = await live.postJson(path, { webhookId: first });

    expect([answer.status, shown(answer)]).to.deep.equal([
      202,
      [`${first} pending`, `${second} delivered`].sort(),
    ]);
  });

  it('delivers to every active webhook of the event if none is named, also without a body', async () => {
    const { id, path, first, second } = await deliveredEvent('resend.all');
    expect(shown(await live.post(path, '', {}))).to.deep.equal(
      [`${first} pending`, `${second} pending`].sort(),
    );
    expect(await triggersOf(id, 4)).to.deep.equal(['first', 'first', 'resend', 'resend']);
  });

  it('omits disabled webhooks, and rejects webhooks that are disabled, deleted or without a delivery', async () => {
    const { path, first, second } = await deliveredEvent('resend.disabled');
    const { id: other } = await createWebhook(live, { events: ['something.else'] });
    await live.patchJson(`/v1/webhooks/${first}`, { status: 'disabled' });

    expect(shown(await live.postJson(path, {}))).to.deep.equal(
      [`${first} delivered`, `${second} pending`].sort(),
    );
    expect(refusalOf(await live.postJson(path, { webhookId: first }))).to.equal('409 webhook_disabled');
    await live.delete(`/v1/webhooks/${first}`);
    const unknown = [
      await live.postJson(path, { webhookId: first }),
      await live.postJson(path, { webhookId: other }),
      await live.postJson(path, { webhookId: 'wh_1' }),
    ];
    expect(unknown.map(refusalOf)).to.deep.equal(unknown.map(() => '404 resource_missing'));
  });

  it('rejects an event that matched no webhook, and names the way to deliver it', async () => {
    const { id } = await postEvent(live, 'for.nobody');
    const answer = await live.postJson(`/v1/events/${id}/resend`, {});

    expect(refusalOf(answer)).to.equal('409 webhook_disabled');
    expect(answer.text).to.include('has no delivery to repeat').and.include('missing');
  });

  for (const what of ['the webhook', 'all webhooks'] as const) {
    it(`delivers to ${what} while the first attempt of a new event is in flight`, async () => {
      const mayAnswer = new AbortController();
      const slow = await startReceiver((_request, response) => {
        mayAnswer.signal.addEventListener('abort', () => response.writeHead(200).end());
      });
      const type = `resend.${what.replace(' ', '_')}`;
      const { id: webhookId } = await createWebhook(live, { url: slow.url, events: [type] });
      const { id } = await postEvent(live, type);
      const body = what === 'the webhook' ? { webhookId } : {};
      const answer = await live.postJson(`/v1/events/${id}/resend`, body);
      await slow.received(2);
      mayAnswer.abort();

      expect([answer.status, shown(answer), await triggersOf(id, 2)]).to.deep.equal([
        202,
        [`${webhookId} pending`],
        ['first', 'resend'],
      ]);
    });
  }

  it('is rejected in test mode before other checks', async () => {
    const path = `/v1/events/${testIdentifier('evt')}/resend?unknown=1`;

    expect(refusalOf(await account.test.post(path, 'no JSON'))).to.equal('400 test_mode_unsupported');
  });

  it('validates its body', async () => {
    const path = `/v1/events/${testIdentifier('evt')}/resend`;

    for (const [body, refusal] of [
      ['{"webhookId":1}', '400 parameter_invalid webhookId'],
      ['{"webhook":"wh_1"}', '400 parameter_unknown webhook'],
      ['[]', '400 parameter_invalid'],
    ] as const) {
      expect(refusalOf(await live.post(path, body))).to.equal(refusal);
    }
  });
});
