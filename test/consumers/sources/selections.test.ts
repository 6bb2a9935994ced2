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

  describe('with failed deliveries', () => {
    let actions: ReplayActions;
    let webhookId: string;
    let failing: readonly string[];
    let isWell = false;

    before(async () => {
      actions = await openAccount();
      const receiver = await openReceiver(({ body }, response) => {
        response.statusCode = isWell || !String(body).includes('fails') ? 200 : 500;
        response.end();
      });
      webhookId = (await actions.webhook(receiver.url)).id;
      failing = [await actions.post('it.fails'), await actions.post('it.fails')];
      await actions.settled([await actions.post('it.works')], 'delivered');
      await actions.settled(failing, 'failed');
      isWell = true;
    });

    it('contains failed deliveries, which are then delivered', async () => {
      expect(await replayed(actions, { webhookId, only: 'failed' })).to.deep.equal(all(2));
    });

    it('does not contain delivered ones', async () => {
      await actions.settled(failing, 'delivered');

      expect(await replayed(actions, { webhookId, only: 'failed' })).to.deep.equal(all(0));
    });

    it('leads to attempts with the trigger replay', async () => {
      // The attempts have their own model, which may be behind the model of the events.
      const triggers = await eventually('the attempt of the replay', async () => {
        const found = await actions.triggersOf(String(failing[0]));
        return found.includes('replay') ? found : null;
      });
      expect(triggers.at(-1)).to.equal('replay');
    });
  });

  describe('with missing deliveries', () => {
    it('contains events from before the webhook and from while it was disabled, but no test delivery', async () => {
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

    it('contains only event types of the webhook', async () => {
      const actions = await openAccount();
      const receiver = await openReceiver();
      await actions.post('other.type');
      await actions.post('this.type');
      const { id: webhookId } = await actions.webhook(receiver.url, { events: ['this.type'] });

      expect(await replayed(actions, { webhookId, only: 'missing' })).to.deep.equal(all(1));
    });
  });

  describe('of a time range', () => {
    let actions: ReplayActions;
    let webhookId: string;

    before(async () => {
      actions = await openAccount();
      const receiver = await openReceiver();
      await actions.append([
        { created: second(1), type: 'first.type' },
        { created: second(2), type: 'first.type' },
        { created: second(2), type: 'second.type' },
        { created: second(3), type: 'third.type' },
      ]);
      webhookId = (await actions.webhook(receiver.url)).id;
      // An event counts as missing only when delivery has passed it.
      await eventually('all events to be missing', async () =>
        (await actions.dryRun({ webhookId, only: 'missing' })) === 4 ? true : null,
      );
    });

    for (const [what, filter, count] of [
      ['all events by default', {}, 4],
      ['the events from since on', { since: at(2) }, 3],
      ['the events up to until', { until: at(2) }, 3],
      ['the events of one moment', { since: at(2), until: at(2) }, 2],
      ['no events before since', { since: at(4) }, 0],
      ['no events after until', { until: at(0) }, 0],
      ['the events of one type', { types: ['second.type'] }, 1],
      ['the events of several types', { types: ['third.type', 'first.type'] }, 3],
      ['the events of one type up to until', { types: ['first.type'], until: at(1) }, 1],
    ] as const) {
      it(`contains ${what}`, async () => {
        expect(await replayed(actions, { webhookId, only: 'all', ...filter })).to.deep.equal(all(count));
      });
    }
  });
});
