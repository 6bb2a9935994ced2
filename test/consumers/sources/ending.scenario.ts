import { expect } from 'chai';

import { auditLogSchema } from '../../../api/resources/audit/routes.js';
import { replaySchema } from '../../../api/resources/replays/routes.js';
import { read } from '../../api/support/client.js';
import { eventually } from '../../support/eventually.js';
import { serviceWithReplays, type ReplayActions } from './serviceWithReplays.js';

const only = 'missing';

describe('a replay that is ended early', () => {
  const { missed, running, handOversOf } = serviceWithReplays();

  it('requests no more deliveries after its cancelation, withdraws those that were not attempted, and is in the audit log', async () => {
    const { actions, webhookId } = await missed(1000);
    const { id } = await actions.replay({ webhookId, only });
    await actions.once(id, ({ done }) => done > 0);
    const answer = read(await actions.live.post(`/v1/replays/${id}/cancel`, '', {}), replaySchema);
    await eventually('the end of the run', async () => ((await running()) === 0 ? true : null));
    const requested = (await handOversOf(id)).map(({ eventId }) => eventId);
    const statuses = await eventually('the end of all requested deliveries', async () => {
      const found = await actions.statusesOf(requested);
      return found.every((one) => one === 'delivered' || one === 'canceled') ? found : null;
    });
    const delivered = statuses.filter((one) => one === 'delivered').length;
    const { status, matched, done } = await actions.read(id);
    expect([done, statuses.length]).to.deep.equal([delivered, requested.length]);

    expect([answer.status, status, matched, done < 1000]).to.deep.equal(['canceled', 'canceled', 1000, true]);
    const audited = await eventually('both entries', async () => {
      const { data } = read(await actions.live.get('/v1/audit-log'), auditLogSchema);
      const entries = data.filter(({ resource }) => resource.id === id);
      return entries.length >= 2 ? entries.map(({ action }) => action) : null;
    });
    expect(audited).to.deep.equal(['replay.canceled', 'replay.requested']);
  });

  for (const [what, end] of [
    [
      'disabled',
      (actions: ReplayActions, path: string) => actions.live.patchJson(path, { status: 'disabled' }),
    ],
    ['deleted', (actions: ReplayActions, path: string) => actions.live.delete(path)],
  ] as const) {
    it(`is canceled when its webhook is ${what}`, async () => {
      const { actions, webhookId } = await missed(1000);
      const { id } = await actions.replay({ webhookId, only });
      await actions.once(id, ({ done }) => done > 0);
      await end(actions, `/v1/webhooks/${webhookId}`);
      const { done } = await actions.once(id, ({ status }) => status === 'canceled');

      expect(done).to.be.lessThan(1000);
    });
  }
});
