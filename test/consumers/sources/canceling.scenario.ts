import type { ServerResponse } from 'node:http';

import { expect } from 'chai';

import { eventSchema } from '../../../api/resources/events/routes.js';
import { read } from '../../api/support/client.js';
import { eventually } from '../../support/eventually.js';
import type { Answer, Receiver } from '../../support/receiver.js';
import { startRoleProcess } from '../../support/roleProcess.js';
import { idsAt, serviceWithReplays, type ReplayActions } from './serviceWithReplays.js';

/** The time after the answer to a cancelation within which the replay must stop. */
const bar = 2000;

/** Cancels a replay. Returns when the answer has arrived. */
async function cancel(actions: ReplayActions, replayId: string): Promise<number> {
  expect((await actions.live.post(`/v1/replays/${replayId}/cancel`, '', {})).status).to.equal(200);
  return Date.now();
}

async function deliveriesOf(actions: ReplayActions, eventIds: readonly string[]) {
  const events = await Promise.all(
    eventIds.map(async (id) => read(await actions.live.get(`/v1/events/${id}`), eventSchema)),
  );
  return events.flatMap(({ deliveries }) => deliveries);
}

/** Waits until all deliveries have this status. */
async function untilAll(actions: ReplayActions, eventIds: readonly string[], status: string) {
  return eventually(`deliveries that are ${status}`, async () => {
    const statuses = (await deliveriesOf(actions, eventIds)).map((delivery) => delivery.status);
    return statuses.every((one) => one === status) ? true : null;
  });
}

/** Answers that wait until the test chooses their status. Null lets them wait again. */
function chosenAnswers(first: number | null) {
  const waiting: ServerResponse[] = [];
  let status = first;
  const answer: Answer = (_request, response) => {
    if (status === null) {
      waiting.push(response);
    } else {
      response.writeHead(status).end();
    }
  };
  const choose = (next: number | null) => {
    status = next;
    if (next !== null) {
      waiting.splice(0).forEach((response) => response.writeHead(next).end());
    }
  };
  return { answer, choose };
}

function requestsAfter({ requests }: Receiver, moment: number): number {
  return requests.filter(({ receivedAt }) => receivedAt > moment).length;
}

describe('the cancelation of a replay to a webhook that hangs', () => {
  const {
    service,
    missed,
    account,
    receiver: openReceiver,
    handOversOf,
    withdrawalsOf,
  } = serviceWithReplays({
    POSTRIDER_PARTITIONS: '4',
    // On a busy machine, an attempt must not end before the cancelation.
    ...{ POSTRIDER_ATTEMPT_TIMEOUT: '20s', POSTRIDER_WEBHOOK_CONCURRENCY: '5' },
  });

  const startDelivery = async () => {
    const role = await startRoleProcess('delivery', service().settings);
    return role;
  };

  it('ends all deliveries that were not attempted within two seconds, and begins no attempt later', async () => {
    const { answer, choose } = chosenAnswers(null);
    const { actions, webhookId, receiver } = await missed(150, answer);
    const { id } = await actions.replay({ webhookId, only: 'missing' });
    await receiver.received(5);
    const answered = await cancel(actions, id);
    const requested = (await handOversOf(id)).map(({ eventId }) => eventId);
    await untilAll(actions, requested, 'canceled');
    const ended = (await withdrawalsOf(id)).map(({ at }) => at);
    const codes = (await deliveriesOf(actions, requested)).map(({ error }) => error?.code);
    const begunLater = requestsAfter(receiver, answered + bar);
    choose(500);
    // The attempts in flight have ended when their retries are not made.
    const outcomes = async () => {
      const made = await Promise.all(idsAt(receiver).map((eventId) => actions.triggersOf(eventId)));
      return made.every(({ length }) => length === 1) ? true : null;
    };
    await eventually('the outcomes of the attempts in flight', outcomes);
    const { status, done, failed } = await actions.read(id);

    expect([requested.length > 5, Math.max(...ended) - answered < bar, new Set(codes)]).to.deep.equal([
      true,
      true,
      new Set(['replay_canceled']),
    ]);
    expect([begunLater, status, done, failed]).to.deep.equal([0, 'canceled', 0, 0]);
  });

  for (const [what, end] of [
    ['canceled by the client', (actions: ReplayActions, replayId: string) => cancel(actions, replayId)],
    [
      'canceled because its webhook is disabled',
      (actions: ReplayActions, _replayId: string, webhookId: string) =>
        actions.live.patchJson(`/v1/webhooks/${webhookId}`, { status: 'disabled' }),
    ],
  ] as const) {
    it(`gives failed deliveries their status back if the replay is ${what}`, async () => {
      const actions = await account();
      const { answer, choose } = chosenAnswers(500);
      const receiver = await openReceiver(answer);
      const { id: webhookId } = await actions.webhook(receiver.url);
      const events = await Promise.all(Array.from({ length: 60 }, () => actions.post()));
      await actions.settled(events, 'failed');
      choose(null);
      const before = receiver.requests.length;
      const { id } = await actions.replay({ webhookId, only: 'failed' });
      await receiver.received(before + 5);
      await end(actions, id, webhookId);
      await actions.once(id, ({ status }) => status === 'canceled');
      await untilAll(actions, events, 'failed');
      const deliveries = await deliveriesOf(actions, events);
      choose(500);

      expect(new Set(deliveries.map(({ error }) => error?.code))).to.deep.equal(new Set(['http_status']));
    });
  }

  it('begins no attempt after two seconds and loses no delivery, also if one of two processes is killed', async () => {
    await service().stopRole('delivery');
    const first = await startDelivery();
    await startDelivery();
    const { actions, webhookId, receiver } = await missed(200, () => undefined);
    const { id } = await actions.replay({ webhookId, only: 'missing' });
    await receiver.received(6);
    const answered = await cancel(actions, id);
    await first.kill();
    await startDelivery();
    const requested = (await handOversOf(id)).map(({ eventId }) => eventId);
    await untilAll(actions, requested, 'canceled');

    expect([requested.length > 6, requestsAfter(receiver, answered + bar)]).to.deep.equal([true, 0]);
  });
});

describe('the cancelation of a replay whose deliveries wait for a busy webhook', () => {
  const {
    account,
    missed,
    receiver: openReceiver,
    handOversOf,
    parkedOf,
    scheduledRetries,
    withdrawalsOf,
  } = serviceWithReplays({
    ...{ POSTRIDER_RETRY_SCHEDULE: '1h', POSTRIDER_ATTEMPT_TIMEOUT: '4s' },
    POSTRIDER_WEBHOOK_CONCURRENCY: '2',
  });

  /** More than one page of a replay. The webhook cannot attempt so many within five seconds, so some are parked. */
  const count = 60;

  it('ends its parked deliveries within two seconds, although all deliveries were requested', async () => {
    const { actions, webhookId, receiver } = await missed(count, () => undefined);
    const { id } = await actions.replay({ webhookId, only: 'missing' });
    const parked = await eventually('the request of all deliveries, some of which are parked', async () => {
      const [requested, found] = await Promise.all([handOversOf(id), parkedOf(id)]);
      return requested.length === count && found.length > 0 ? found.map(({ eventId }) => eventId) : null;
    });
    const { status, omitted } = await actions.read(id);
    const answered = await cancel(actions, id);
    const attempted = new Set(idsAt(receiver));
    const waiting = parked.filter((eventId) => !attempted.has(eventId));
    await untilAll(actions, waiting, 'canceled');
    const ended = (await withdrawalsOf(id)).map(({ at }) => at);

    expect([status, omitted, waiting.length > 0]).to.deep.equal(['running', null, true]);
    expect(Math.max(...ended) - answered).to.be.below(bar);
  });

  it('gives open deliveries their status and the time of their next attempt back, and schedules the attempt', async () => {
    const actions = await account();
    const { answer, choose } = chosenAnswers(500);
    const receiver = await openReceiver(answer);
    const { id: webhookId } = await actions.webhook(receiver.url);
    const events = await Promise.all(Array.from({ length: count }, () => actions.post()));
    await actions.settled(events, 'retrying');
    const before = await deliveriesOf(actions, events);
    choose(null);
    const { id } = await actions.replay({ webhookId, only: 'open' });
    await receiver.received(events.length + 1);
    await cancel(actions, id);
    // An attempt that began before the cancelation fails after it, and its delivery is retried too.
    choose(500);
    await untilAll(actions, events, 'retrying');
    const requested = (await handOversOf(id)).map(({ eventId }) => eventId);
    const attempted = new Set(idsAt(receiver).slice(events.length));
    const withdrawn = requested.filter((eventId) => !attempted.has(eventId));
    const times = (deliveries: typeof before) =>
      withdrawn.map((eventId) => deliveries[events.indexOf(eventId)]?.nextAttemptAt);
    const retries = await eventually('a retry record of each withdrawn delivery', async () => {
      const due = new Map(
        (await scheduledRetries()).filter(({ cycle }) => cycle === 1).map((one) => [one.eventId, one.due]),
      );
      return withdrawn.every((eventId) => due.has(eventId)) ? withdrawn.map((one) => due.get(one)) : null;
    });

    expect(withdrawn).not.to.deep.equal([]);
    expect([times(await deliveriesOf(actions, events)), retries]).to.deep.equal([
      times(before),
      times(before),
    ]);
  });
});
