import { expect } from 'chai';

import { eventually } from '../../support/eventually.js';
import { start } from '../../support/facts.js';
import { serviceWithReplays, type ReplayActions } from './serviceWithReplays.js';

const second = (number: number) => new Date(start.getTime() + number * 1000);
const at = (number: number) => second(number).toISOString();

describe('the selection of a replay', () => {
  const { account: openAccount, receiver: openReceiver } = serviceWithReplays();

  /** The result of a dry run, the number of matching events of the replay, and their end. */
  const replayed = async (actions: ReplayActions, fields: Readonly<Record<string, unknown>>) => {
    const counted = await actions.dryRun(fields);
    const { id } = await actions.replay(fields);
    const { matched, done, failed } = await actions.ended(id);
    return { counted, matched, done, failed };
  };

  const all = (count: number) => ({ counted: count, matched: count, done: count, failed: 0 });

  it('of failed deliveries leads to attempts with the trigger replay, and contains none that were delivered', async () => {
    const actions = await openAccount();
    let isWell = false;
    const receiver = await openReceiver(({ body }, response) => {
      response.statusCode = isWell || !String(body).includes('fails') ? 200 : 500;
      response.end();
    });
    const { id: webhookId } = await actions.webhook(receiver.url);
    const failing = [await actions.post('it.fails'), await actions.post('it.fails')];
    await actions.settled([await actions.post('it.works')], 'delivered');
    await actions.settled(failing, 'failed');
    isWell = true;

    expect(await replayed(actions, { webhookId, only: 'failed' })).to.deep.equal(all(2));
    await actions.settled(failing, 'delivered');
    expect(await actions.triggersOnce(String(failing[0]), 3)).to.deep.equal(['first', 'retry', 'replay']);
    expect(await actions.dryRun({ webhookId, only: 'failed' })).to.equal(0);
  });

  it('of missing deliveries contains events from before the webhook and from while it was disabled, but no test delivery', async () => {
    const actions = await openAccount();
    const receiver = await openReceiver();
    const other = await actions.webhook(receiver.url, { events: ['never.posted'] });
    const early = [await actions.post(), await actions.post()];
    const { id: webhookId } = await actions.webhook(receiver.url);
    await actions.settled([await actions.post()], 'delivered');
    await actions.live.patchJson(`/v1/webhooks/${webhookId}`, { status: 'disabled' });
    const meanwhile = await actions.post();
    await actions.live.patchJson(`/v1/webhooks/${webhookId}`, { status: 'active' });
    await actions.live.postJson(`/v1/webhooks/${other.id}/test`, {});
    // Until delivery has committed the offset of an event, the event is not missing yet.
    await eventually('all three to be missing', async () =>
      (await actions.dryRun({ webhookId, only: 'missing' })) === 3 ? true : null,
    );

    expect(await replayed(actions, { webhookId, only: 'missing' })).to.deep.equal(all(3));
    await actions.settled([...early, meanwhile], 'delivered');
  });

  it('of a time range and of types is that of its dry run', async () => {
    const actions = await openAccount();
    const receiver = await openReceiver();
    await actions.append([
      { created: second(1), type: 'first.type' },
      { created: second(2), type: 'first.type' },
      { created: second(2), type: 'second.type' },
      { created: second(3), type: 'third.type' },
    ]);
    const { id: webhookId } = await actions.webhook(receiver.url);
    // An event counts as missing only when delivery has passed it.
    await eventually('all events to be missing', async () =>
      (await actions.dryRun({ webhookId, only: 'missing' })) === 4 ? true : null,
    );

    for (const [filter, count] of [
      [{}, 4],
      [{ since: at(2) }, 3],
      [{ until: at(2) }, 3],
      [{ since: at(2), until: at(2) }, 2],
      [{ since: at(4) }, 0],
      [{ until: at(0) }, 0],
      [{ types: ['second.type'] }, 1],
      [{ types: ['third.type', 'first.type'] }, 3],
      [{ types: ['first.type'], until: at(1) }, 1],
    ] as const) {
      const matched = await actions.dryRun({ webhookId, only: 'all', ...filter });
      expect(matched, JSON.stringify(filter)).to.equal(count);
    }
    const range = { since: at(2), until: at(2), types: ['second.type', 'third.type'] };
    expect(await replayed(actions, { webhookId, only: 'all', ...range })).to.deep.equal(all(1));
  });
});
