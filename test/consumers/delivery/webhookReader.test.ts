import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createWebhookReader, type WebhookSnapshot } from '../../../consumers/delivery/webhookReader.js';
import { UnavailableError } from '../../../shared/errors.js';
import type { WebhookDocument } from '../../../shared/mongo/documents.js';
import { metaId } from '../../../shared/mongo/generations.js';

const meta = { _id: metaId, version: 1, positions: {}, target: {} } as const;

function webhook(_id: string, accountId: string, state: Partial<WebhookDocument> = {}): WebhookDocument {
  return { _id, accountId, mode: 'live', status: 'active', ...state } as WebhookDocument;
}

/** Over a model that holds what it is told to from one read to the next. */
function readerOf(...documents: readonly WebhookDocument[]) {
  const model = { documents, isComplete: true, reads: 0 };
  const reader = createWebhookReader({
    findAll: async () => {
      model.reads += 1;
      const answer = { documents: [...model.documents], meta: { ...meta, complete: model.isComplete } };
      await endOfTurn();
      return answer;
    },
  });
  return { ...reader, model };
}

function idsOf({ webhooks }: WebhookSnapshot): readonly string[] {
  return webhooks.map(({ id }) => id);
}

describe('the webhooks of an account', () => {
  it('are those of its mode that are not deleted, and no others’', async () => {
    const { webhooksOf } = readerOf(
      webhook('wh_1', 'acct_1'),
      webhook('wh_2', 'acct_2'),
      webhook('wh_3', 'acct_1', { mode: 'test' }),
      webhook('wh_4', 'acct_1', { status: 'deleted' }),
    );

    expect(idsOf(await webhooksOf('acct_1', 'live', { notBefore: performance.now() }))).to.deep.equal([
      'wh_1',
    ]);
  });

  it('are not told from an incomplete model', async () => {
    const { webhooksOf, model } = readerOf(webhook('wh_1', 'acct_1'));
    model.isComplete = false;
    const refusal = await webhooksOf('acct_1', 'live', { notBefore: performance.now() }).catch(
      (error: unknown) => error,
    );

    expect(refusal).to.be.instanceOf(UnavailableError);
  });

  it('are read again after a read that has failed, also for whoever asks for no newer ones', async () => {
    const { webhooksOf, model } = readerOf(webhook('wh_1', 'acct_1'));
    model.isComplete = false;
    await webhooksOf('acct_1', 'live', { notBefore: 0 }).catch(() => undefined);
    model.isComplete = true;

    expect(idsOf(await webhooksOf('acct_1', 'live', { notBefore: 0 }))).to.deep.equal(['wh_1']);
  });

  it('are read anew for whoever asks for newer ones', async () => {
    const { webhooksOf, model } = readerOf();
    await webhooksOf('acct_1', 'live', { notBefore: performance.now() });
    model.documents = [webhook('wh_1', 'acct_1')];

    expect(idsOf(await webhooksOf('acct_1', 'live', { notBefore: performance.now() }))).to.deep.equal([
      'wh_1',
    ]);
  });

  it('are read anew for whoever asks for newer ones by the time of day, whatever the other clock says', async () => {
    const { webhooksOf, model } = readerOf();
    await webhooksOf('acct_1', 'live', { notBefore: 0 });
    model.documents = [webhook('wh_1', 'acct_1')];
    const read = webhooksOf('acct_1', 'live', { notBefore: 0, notBeforeTime: Date.now() + 1 });

    expect(idsOf(await read)).to.deep.equal(['wh_1']);
  });

  it('are not read again for whoever is content with what was read', async () => {
    const { webhooksOf, model } = readerOf(webhook('wh_1', 'acct_1'));
    const freshness = { notBefore: performance.now(), notBeforeTime: Date.now() };
    await webhooksOf('acct_1', 'live', freshness);
    await webhooksOf('acct_1', 'live', freshness);

    expect(model.reads).to.equal(1);
  });

  it('are read once, with those of other accounts, for all who ask in one turn', async () => {
    const { webhooksOf, model } = readerOf(webhook('wh_1', 'acct_1'), webhook('wh_2', 'acct_2'));
    const now = performance.now();
    const snapshots = await Promise.all([
      webhooksOf('acct_1', 'live', { notBefore: now }),
      webhooksOf('acct_1', 'live', { notBefore: now }),
      webhooksOf('acct_2', 'live', { notBefore: now }),
    ]);

    expect([model.reads, ...snapshots.map(idsOf)]).to.deep.equal([1, ['wh_1'], ['wh_1'], ['wh_2']]);
  });
});
