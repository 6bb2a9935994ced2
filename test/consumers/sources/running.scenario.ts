import { expect } from 'chai';

import { eventually } from '../../support/eventually.js';
import { idsAt, serviceWithReplays } from './serviceWithReplays.js';

const only = 'missing';

describe('a replay that runs', () => {
  const { missed } = serviceWithReplays();

  it('retries failed deliveries, and counts them when the schedule is exhausted', async () => {
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

  it('requests each of many events once, while new events are delivered before its end', async () => {
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

  it('counts each event for both of two simultaneous replays', async () => {
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
});
