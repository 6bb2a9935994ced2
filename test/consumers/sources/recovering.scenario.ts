import { expect } from 'chai';

import { dryRunSchema } from '../../../api/resources/replays/routes.js';
import { read } from '../../api/support/client.js';
import { longAgo } from '../../api/support/replays.js';
import { idsAt, serviceWithReplays, type ReplayActions } from './serviceWithReplays.js';

describe('a replay after an outage of a webhook', () => {
  const { account: openAccount, receiver: openReceiver } = serviceWithReplays({
    POSTRIDER_RETRY_SCHEDULE: '1h',
  });

  /** Events to a webhook that answers the statuses of its outage, and works from `recover` on. */
  const outage = async (statuses: readonly number[]) => {
    const actions = await openAccount();
    let isWell = false;
    let answers = 0;
    const receiver = await openReceiver((_request, response) => {
      response.statusCode = isWell ? 200 : (statuses[answers % statuses.length] ?? 500);
      answers += 1;
      response.end();
    });
    const { id: webhookId } = await actions.webhook(receiver.url);
    const events: string[] = [];
    while (events.length < statuses.length) {
      const eventId = await actions.post();
      await actions.settled([eventId], 'retrying');
      events.push(eventId);
    }
    return {
      ...{ actions, webhookId, receiver, events },
      recover: () => {
        isWell = true;
      },
    };
  };

  const ended = async (actions: ReplayActions, fields: Readonly<Record<string, unknown>>) => {
    const counted = await actions.dryRun(fields);
    const { id } = await actions.replay(fields);
    const { matched, omitted, done } = await actions.ended(id);
    return { counted, matched, omitted, done };
  };

  it('makes the next attempt of each open delivery now, in another cycle', async () => {
    const { actions, webhookId, events, recover } = await outage([500, 503]);
    recover();

    expect(await ended(actions, { webhookId, only: 'open' })).to.deep.equal({
      ...{ counted: 2, matched: 2, omitted: 0, done: 2 },
    });
    await actions.settled(events, 'delivered');
    expect(await actions.triggersOnce(String(events[0]), 2)).to.deep.equal(['first', 'replay']);
  });

  it('contains what failed, is open or is missing, if it is for everything undelivered', async () => {
    const actions = await openAccount();
    const early = [await actions.post(), await actions.post('other.type')];
    let isWell = true;
    const receiver = await openReceiver((_request, response) => {
      response.statusCode = isWell ? 200 : 500;
      response.end();
    });
    const { id: webhookId } = await actions.webhook(receiver.url, { events: ['order.*', 'order.item.*'] });
    await actions.settled([await actions.post('order.shipped')], 'delivered');
    isWell = false;
    const [open] = [await actions.post('order.item.added')];
    await actions.settled([open], 'retrying');
    isWell = true;
    const result = await ended(actions, { webhookId, only: 'undelivered' });

    expect(result).to.deep.equal({ counted: 2, matched: 2, omitted: 0, done: 2 });
    expect(idsAt(receiver).slice(-2).toSorted()).to.deep.equal([early[0], open].toSorted());
  });

  it('contains only deliveries whose last attempt had one of the status codes', async () => {
    const { actions, webhookId, events, recover } = await outage([500, 503, 404]);
    recover();
    const fields = { webhookId, only: 'undelivered', statusCodes: [503, 404], errorCodes: ['http_status'] };

    expect(await ended(actions, fields)).to.deep.include({ counted: 2, matched: 2, done: 2 });
    await actions.settled(events.slice(1), 'delivered');
    await actions.settled(events.slice(0, 1), 'retrying');
  });

  it('resends the chosen events of the account, each once, and ignores all others', async () => {
    const { actions, webhookId, events, receiver, recover } = await outage([500, 500, 500]);
    const stranger = await openAccount();
    const foreign = await stranger.post();
    recover();
    const eventIds = [events[0], events[2], events[0], foreign, 'evt_unknown'];
    const before = receiver.requests.length;

    expect(await ended(actions, { webhookId, only: 'all', eventIds })).to.deep.include({
      ...{ counted: 2, matched: 2, done: 2 },
    });
    expect(idsAt(receiver).slice(before).toSorted()).to.deep.equal([events[0], events[2]].toSorted());
  });

  it('contains at most what the dry run has counted, with its end', async () => {
    const { actions, webhookId, events, recover } = await outage([500, 500]);
    const body = { webhookId, since: longAgo, only: 'undelivered' };
    const dryRun = await actions.live.postJson('/v1/replays', { ...body, dryRun: true });
    const { matched, complete, until } = read(dryRun, dryRunSchema);
    const later = await actions.post();
    await actions.settled([later], 'retrying');
    recover();
    const replay = await actions.ended((await actions.replay({ ...body, until })).id);

    expect([matched, complete, replay.matched, replay.done]).to.deep.equal([2, true, 2, 2]);
    await actions.settled(events, 'delivered');
    await actions.settled([later], 'retrying');
  });
});
