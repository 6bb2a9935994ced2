import { expect } from 'chai';

import { replayRecords } from '../../../shared/log/records/replays.js';
import { contextOf, secondsLater, start } from '../../support/facts.js';
import { serviceWithReplays } from './serviceWithReplays.js';

/** It also selects events that were requested already. Only the id of the replay in a delivery shows that. */
const only = 'all';

describe('a replay', () => {
  const { service, missed, handOversOf, appendHandOver } = serviceWithReplays();

  describe('after a crash of its process', () => {
    /** A replay that no process runs yet. */
    async function requested(count: number) {
      const source = await missed(count);
      await service().stopRole('delivery');
      const { id } = await source.actions.replay({ webhookId: source.webhookId, only });
      return { ...source, id };
    }

    it('does not request an event again, even if its cursor was not recorded', async () => {
      const { actions, events, webhookId, id } = await requested(5);
      for (const eventId of events.slice(0, 3)) {
        await appendHandOver(actions, eventId, webhookId, id);
      }
      await service().startRole('delivery');
      const { matched, done } = await actions.ended(id);
      const handOvers = await handOversOf(id);

      expect([matched, done, handOvers.length]).to.deep.equal([5, 5, 5]);
    });

    it('continues after its cursor', async () => {
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
