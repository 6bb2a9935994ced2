import { expect } from 'chai';

import { eventSchema } from '../../../api/resources/events/routes.js';
import { read } from '../../api/support/client.js';
import { eventually } from '../../support/eventually.js';
import { idsAt, serviceWithReplays, type ReplayActions } from './serviceWithReplays.js';

describe('the delivery to a webhook with a filter', () => {
  const { account: openAccount, receiver: openReceiver } = serviceWithReplays();
  const filter = { data: { amount: { $gt: 9007199254740991 } } };

  /** @param amount the digits of a number */
  const post = async ({ live }: ReplayActions, amount: string) =>
    read(await live.post('/v1/events', `{"type":"a","data":{"amount":${amount}}}`), eventSchema).id;

  /** Waits until delivery has matched the event, and returns the webhooks of its deliveries. */
  const webhooksOf = ({ live }: ReplayActions, eventId: string) =>
    eventually('the deliveries of the event', async () => {
      const event = read(await live.get(`/v1/events/${eventId}`), eventSchema);
      const isSettled =
        event.deliveriesComplete && event.deliveries.every(({ status }) => status === 'delivered');
      return isSettled ? event.deliveries.map(({ webhookId }) => webhookId) : null;
    });

  const replayed = async (actions: ReplayActions, fields: Readonly<Record<string, unknown>>) => {
    const counted = await actions.dryRun(fields);
    const { id } = await actions.replay(fields);
    const { matched, done } = await actions.ended(id);
    return { counted, matched, done };
  };

  it('sends the events that match, and compares each digit', async () => {
    const actions = await openAccount();
    const receiver = await openReceiver();
    const { id: webhookId } = await actions.webhook(receiver.url, { filter });
    const { id: other } = await actions.webhook(receiver.url);
    const low = await post(actions, '9007199254740991');
    const high = await post(actions, '9007199254740992.5');
    expect(await webhooksOf(actions, low)).to.deep.equal([other]);
    expect([...(await webhooksOf(actions, high))].toSorted()).to.deep.equal([webhookId, other].toSorted());
  });

  it('follows each change of the filter', async () => {
    const actions = await openAccount();
    const receiver = await openReceiver();
    const { id: webhookId } = await actions.webhook(receiver.url, { filter });
    expect(await webhooksOf(actions, await post(actions, '1'))).to.deep.equal([]);
    await actions.live.patchJson(`/v1/webhooks/${webhookId}`, { filter: { data: { amount: 1 } } });
    expect(await webhooksOf(actions, await post(actions, '1'))).to.deep.equal([webhookId]);
    await actions.live.patchJson(`/v1/webhooks/${webhookId}`, { filter: null });
    expect(await webhooksOf(actions, await post(actions, '2'))).to.deep.equal([webhookId]);
  });

  it('sends a test event, whatever the filter is', async () => {
    const actions = await openAccount();
    const receiver = await openReceiver();
    const { id: webhookId } = await actions.webhook(receiver.url, { filter });
    await actions.live.postJson(`/v1/webhooks/${webhookId}/test`, {});
    await eventually('the test event', () => Promise.resolve(idsAt(receiver).length === 1 ? true : null));
  });

  it('replays missing events that match the filter of the time of the request', async () => {
    const actions = await openAccount();
    const receiver = await openReceiver();
    const low = await post(actions, '1');
    const high = [await post(actions, '9007199254740993'), await post(actions, '9007199254740994')];
    const { id: webhookId } = await actions.webhook(receiver.url, { filter });
    const fields = { webhookId, only: 'missing' };
    await eventually('the events to be missing', async () =>
      (await actions.dryRun(fields)) === 2 ? true : null,
    );
    expect(await replayed(actions, fields)).to.deep.equal({ counted: 2, matched: 2, done: 2 });
    expect(idsAt(receiver).toSorted()).to.deep.equal(high.toSorted());
    expect(await replayed(actions, { webhookId, only: 'all' })).to.deep.equal({
      counted: 2,
      matched: 2,
      done: 2,
    });
    await actions.live.patchJson(`/v1/webhooks/${webhookId}`, { filter: null });
    expect(await replayed(actions, fields)).to.deep.equal({ counted: 1, matched: 1, done: 1 });
    expect(idsAt(receiver)).to.include(low);
  });

  it('resends a delivery that no longer matches, and replays it as failed, but not as part of all', async () => {
    const actions = await openAccount();
    let isWell = false;
    const receiver = await openReceiver((_request, response) => {
      response.statusCode = isWell ? 200 : 500;
      response.end();
    });
    const { id: webhookId } = await actions.webhook(receiver.url);
    const eventId = await post(actions, '1');
    await actions.settled([eventId], 'failed');
    await actions.live.patchJson(`/v1/webhooks/${webhookId}`, { filter });
    isWell = true;
    expect(await actions.dryRun({ webhookId, only: 'all' })).to.equal(0);
    expect(await actions.dryRun({ webhookId, only: 'failed' })).to.equal(1);
    await actions.live.postJson(`/v1/events/${eventId}/resend`, { webhookId });
    await actions.settled([eventId], 'delivered');
  });
});
