import { expect } from 'chai';

import { replayRecords } from '../../../shared/topics/replays.js';
import { read } from '../../api/support/client.js';
import { replaySchema } from '../../../api/replays/schemas.js';
import { eventually } from '../../support/eventually.js';
import { contextOf, secondsLater, start } from '../../support/facts.js';
import { idsAt, replayedService, type ReplayActions } from './replayedService.js';

const only = 'missing';

/** So many events that no webhook was there for. */
async function appendMissing(actions: ReplayActions, count: number) {
  return actions.append(Array.from({ length: count }, () => ({ created: start })));
}

describe('a replay that runs', function () {
  this.timeout(90_000);

  const {
    service,
    account: openAccount,
    receiver: openReceiver,
    running,
    handOversOf,
    appendHandOver,
  } = replayedService();

  /** An account with a webhook that has missed so many events. */
  async function missed(count: number, answer?: Parameters<typeof openReceiver>[0]) {
    const actions = await openAccount();
    const events = await appendMissing(actions, count);
    const receiver = await openReceiver(answer);
    const { id: webhookId } = await actions.webhook(receiver.url);
    return { actions, events, receiver, webhookId };
  }

  it('retries what fails, and counts it when the schedule is used up', async () => {
    const { actions, events, webhookId } = await missed(2, (_request, response) =>
      response.writeHead(500).end(),
    );
    const { id } = await actions.replay({ webhookId, only });
    const { matched, done, failed } = await actions.ended(id);
    const triggers = await eventually('two attempts', async () => {
      const made = await actions.triggersOf(String(events[0]));
      return made.length >= 2 ? made : null;
    });

    expect([matched, done, failed, triggers]).to.deep.equal([2, 0, 2, ['replay', 'retry']]);
  });

  it('hands over each of some thousands once, while what is new is delivered before its end', async () => {
    const { actions, events, receiver, webhookId } = await missed(1500);
    const { id } = await actions.replay({ webhookId, only });
    await actions.once(id, ({ done }) => done > 0);
    for (let number = 0; number < 10; number += 1) {
      const fresh = await actions.post();
      await eventually('the delivery of what is new', () => (idsAt(receiver).includes(fresh) ? true : null));
    }
    const meanwhile = await actions.read(id);
    const { matched, done } = await actions.ended(id);
    const replayed = idsAt(receiver).filter((eventId) => events.includes(eventId));

    expect([meanwhile.done < 1500, meanwhile.matched, matched, done]).to.deep.equal([true, 1500, 1500, 1500]);
    expect([replayed.length, new Set(replayed).size]).to.deep.equal([1500, 1500]);
  });

  it('hands over nothing more once it is canceled, and what was handed over goes on', async () => {
    const { actions, webhookId } = await missed(1000);
    const { id } = await actions.replay({ webhookId, only });
    await actions.once(id, ({ done }) => done > 0);
    const answer = read(await actions.live.post(`/v1/replays/${id}/cancel`, '', {}), replaySchema);
    await eventually('the end of the run', async () => ((await running()) === 0 ? true : null));
    const handedOver = (await handOversOf(id)).length;
    const { status, matched, done } = await actions.once(id, (replay) => replay.done === handedOver);

    expect([answer.status, status, matched, done < 1000]).to.deep.equal(['canceled', 'canceled', 1000, true]);
  });

  for (const [what, end] of [
    [
      'disabled',
      (actions: ReplayActions, path: string) => actions.live.patchJson(path, { status: 'disabled' }),
    ],
    ['deleted', (actions: ReplayActions, path: string) => actions.live.delete(path)],
  ] as const) {
    it(`ends as canceled when its webhook is ${what}`, async () => {
      const { actions, webhookId } = await missed(1000);
      const { id } = await actions.replay({ webhookId, only });
      await actions.once(id, ({ done }) => done > 0);
      await end(actions, `/v1/webhooks/${webhookId}`);
      const { done } = await actions.once(id, ({ status }) => status === 'canceled');

      expect(done).to.be.lessThan(1000);
    });
  }

  it('counts each event for both of two replays at once', async () => {
    const { actions, events, receiver, webhookId } = await missed(200);
    const replays = await Promise.all([
      actions.replay({ webhookId, only: 'all' }),
      actions.replay({ webhookId, only: 'all' }),
    ]);
    const ended = await Promise.all(replays.map(({ id }) => actions.ended(id)));
    const times = events.map((eventId) => idsAt(receiver).filter((id) => id === eventId).length);

    expect(ended.map(({ matched, done }) => [matched, done])).to.deep.equal([
      [200, 200],
      [200, 200],
    ]);
    expect([Math.min(...times), Math.max(...times)]).to.satisfy(
      ([least = 0, most = 0]) => least >= 1 && most <= 2,
    );
  });

  describe('after its process has died', () => {
    /** A replay that nobody runs yet. */
    async function requested(count: number) {
      const met = await missed(count);
      // Its group has committed what stands before.
      await met.actions.dryRun({ webhookId: met.webhookId, only });
      await service().stopRole('delivery');
      const { id } = await met.actions.replay({ webhookId: met.webhookId, only });
      return { ...met, id };
    }

    it('does not hand over again what it has handed over, though it had not the time to say so', async () => {
      const { actions, events, webhookId, id } = await requested(5);
      for (const eventId of events.slice(0, 3)) {
        await appendHandOver(actions, eventId, webhookId, id);
      }
      await service().startRole('delivery');
      const { matched, done } = await actions.ended(id);
      const handOvers = await handOversOf(id);

      expect([matched, done, handOvers.length]).to.deep.equal([5, 5, 5]);
    });

    it('goes on behind its cursor', async () => {
      const { actions, events, id } = await requested(5);
      const [, second = '', third = ''] = [...events].sort();
      await service().withStores(({ log }) => {
        const cursor = { created: start, eventId: second };
        const context = { ...contextOf(id), accountId: actions.id, at: secondsLater(1) };
        const fact = { type: 'postrider.replay.progressed', value: { matched: 5, cursor } } as const;
        return log.append(replayRecords.encode(fact, context));
      });
      await service().startRole('delivery');
      await actions.ended(id);
      const handedOver = (await handOversOf(id)).map(({ eventId }) => eventId).sort();

      expect(handedOver).to.deep.equal([...events].sort().slice(2));
      expect(handedOver[0]).to.equal(third);
    });
  });
});
