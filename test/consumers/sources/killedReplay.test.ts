import { expect } from 'chai';

import { startRoleProcess } from '../../support/roleProcess.js';
import { idsAt, serviceWithReplays } from './serviceWithReplays.js';

const count = 600;
/** Two of the largest pages. */
const mostInFlight = 500;

describe('a replay whose process is killed', () => {
  const { service, missed, handOversOf } = serviceWithReplays({}, ['projections', 'api']);

  it('loses no event, and requests only events in flight twice', async () => {
    const doomed = await startRoleProcess('delivery', service().settings);
    const { actions, events, receiver, webhookId } = await missed(count);
    const { id } = await actions.replay({ webhookId, only: 'missing' });
    await actions.once(id, ({ done }) => done > 0);
    await doomed.kill();
    const atKill = await actions.read(id);
    await service().startRole('delivery');
    const { matched, done } = await actions.ended(id);
    const handOvers = await handOversOf(id);
    const delivered = new Set(idsAt(receiver));

    expect([atKill.status, matched, done]).to.deep.equal(['running', count, count]);
    expect(events.filter((eventId) => !delivered.has(eventId))).to.deep.equal([]);
    expect([...new Set(handOvers.map(({ cycle }) => cycle))]).to.deep.equal([1]);
    expect(handOvers.length - count).to.be.within(0, mostInFlight);
  });
});
