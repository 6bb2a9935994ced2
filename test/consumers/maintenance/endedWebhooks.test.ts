import { expect } from 'chai';
import fc from 'fast-check';

import { createEndedWebhookChanges } from '../../../consumers/maintenance/endedWebhooks.js';
import { testIdentifier } from '../../support/facts.js';
import {
  deletedWebhooks,
  openStoredModels,
  webhookDocument,
  type Cost,
  type StoredModels,
} from '../../support/storedModels.js';

const accountId = testIdentifier('acct');

describe('the changes of ended webhooks', () => {
  let stored: StoredModels;
  before(async () => {
    stored = await openStoredModels('webhooks');
  });
  afterEach(() => stored.empty('webhooks'));

  const webhooks = () => stored.collectionOf('webhooks');

  /** Writes like the fold of a record: first the document, and then the position of the model. */
  const change = async (id: string, epoch: number, offset: number) => {
    const document = { ...webhookDocument({ id, accountId, epoch }), positions: { 'webhooks/0': offset } };
    await webhooks().replaceOne({ _id: id }, document, { upsert: true });
    await stored.advance('webhooks', { webhooks: { '0': offset + 1, '1': 50_000 } });
  };

  const costOfAnUnrelatedChange = async (deleted: number): Promise<Cost> => {
    await webhooks().insertMany([...deletedWebhooks(accountId, deleted), webhookDocument({ id: 'wh_one' })]);
    await stored.advance('webhooks', { webhooks: { '0': 50_000, '1': 50_000 } });
    const changes = createEndedWebhookChanges(stored.models.webhooks);
    await changes.next();
    await change('wh_one', 0, 50_000);
    return stored.costOf('webhooks', changes.next);
  };

  it('are unknown at the first call, because a scan finds earlier ones', async () => {
    await webhooks().insertMany([...deletedWebhooks(accountId, 10)]);
    expect(await createEndedWebhookChanges(stored.models.webhooks).next()).to.equal(null);
  });

  it('are the webhooks that were disabled since the last call', async () => {
    const changes = createEndedWebhookChanges(stored.models.webhooks);
    await change('wh_before', 1, 10);
    await changes.next();
    await change('wh_since', 1, 11);
    const ended = { id: 'wh_since', accountId, mode: 'live', ended: 'disabled', openFromEpoch: 1 };
    expect([await changes.next(), await changes.next()]).to.deep.equal([[ended], []]);
  });

  it('cost the same reads for 5,000 deleted webhooks as for one', async () => {
    const one = await costOfAnUnrelatedChange(1);
    await webhooks().deleteMany({ accountId });
    expect(await costOfAnUnrelatedChange(5000)).to.deep.equal(one);
  });

  it('are unknown after a switch to another generation', async () => {
    const changes = createEndedWebhookChanges(stored.models.webhooks);
    await changes.next();
    await change('wh_one', 1, 10);
    await stored.restart('webhooks');
    expect(await changes.next()).to.equal(null);
  });

  it('are all found, in any interleaving with the writes of two processes that fold one partition each', async () => {
    const steps = fc.array(fc.constantFrom('document/0', 'document/1', 'meta/0', 'meta/1', 'call'), {
      minLength: 5,
      maxLength: 25,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        await webhooks().deleteMany({ accountId });
        await stored.advance('webhooks', {});
        const changes = createEndedWebhookChanges(stored.models.webhooks);
        await changes.next();
        const written = { '0': 0, '1': 0 };
        const folded = { '0': 0, '1': 0 };
        const found = new Set<string>();
        const call = async () => {
          (await changes.next())?.forEach(({ id }) => found.add(id));
        };
        for (const step of sequence) {
          const partition = step.endsWith('0') ? '0' : '1';
          if (step === 'call') {
            await call();
          } else if (step.startsWith('meta')) {
            folded[partition] = written[partition];
            await stored.advance('webhooks', { webhooks: { ...folded } });
          } else {
            const positions = { [`webhooks/${partition}`]: written[partition] };
            const id = `wh_${partition}_${String(written[partition])}`;
            await webhooks().insertOne({ ...webhookDocument({ id, accountId, epoch: 1 }), positions });
            written[partition] += 1;
          }
        }
        await stored.advance('webhooks', { webhooks: { ...written } });
        await call();
        expect(found.size).to.equal(written['0'] + written['1']);
      }),
      { numRuns: 15 },
    );
  });
});
