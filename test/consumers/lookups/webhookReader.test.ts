import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';
import type { Document } from 'mongodb';

import {
  createWebhookReader,
  type WebhookSnapshot,
  type WebhookReading,
} from '../../../consumers/lookups/webhookReader.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { Credential } from '../../../shared/domain/webhooks/credentials.js';
import type { WebhookDocument } from '../../../shared/store/models/documents.js';
import { metaId } from '../../../shared/store/models/generations.js';
import { eventually } from '../../support/eventually.js';
import { deletedWebhooks, openStoredModels, webhookDocument } from '../../support/storedModels.js';

const owner = { accountId: 'acct_1', mode: 'live' } as const;
const meta = { _id: metaId, version: 1, positions: {}, target: {} } as const;

function webhook(_id: string, accountId: string, state: Partial<WebhookDocument> = {}): WebhookDocument {
  return { _id, accountId, mode: 'live', tenantId: null, status: 'active', ...state } as WebhookDocument;
}

/** A reader over a model whose webhooks the test sets between the reads. */
function readerOf(...documents: readonly WebhookDocument[]) {
  const model = {
    documents,
    isComplete: true,
    reads: 0,
    answers: Promise.resolve(),
    now: () => performance.now(),
  };
  const find = async (isFound: (document: WebhookDocument) => boolean) => {
    model.reads += 1;
    const documents = model.documents.filter(isFound);
    const answer = { documents, meta: { ...meta, complete: model.isComplete } };
    await model.answers;
    await endOfTurn();
    return answer;
  };
  const findAll = ({ $or }: Document) =>
    find(({ accountId, mode, tenantId }) =>
      ($or as readonly GroupsFilter[]).some(
        (filter) =>
          filter.accountId === accountId && filter.mode === mode && filter.tenantId.$in.includes(tenantId),
      ),
    );
  const reader = createWebhookReader({ findAll, findInAllAccounts: () => find(() => true) }, () =>
    model.now(),
  );
  return { ...reader, model };
}

/** The part of the reader's filter for one account and mode. */
interface GroupsFilter extends Pick<WebhookDocument, 'accountId' | 'mode'> {
  readonly tenantId: { readonly $in: readonly (string | null)[] };
}

function idsOf({ webhooks }: WebhookSnapshot): readonly string[] {
  return webhooks.map(({ id }) => id);
}

describe('the webhooks of an account', () => {
  it('are those of its mode that are not deleted', async () => {
    const { webhooksOf } = readerOf(
      webhook('wh_1', 'acct_1'),
      webhook('wh_2', 'acct_2'),
      webhook('wh_3', 'acct_1', { mode: 'test' }),
      webhook('wh_4', 'acct_1', { status: 'deleted' }),
    );

    expect(idsOf(await webhooksOf(owner, null, { notBefore: performance.now() }))).to.deep.equal(['wh_1']);
  });

  it('are not read from an incomplete model', async () => {
    const { webhooksOf, model } = readerOf(webhook('wh_1', 'acct_1'));
    model.isComplete = false;
    const refusal = await webhooksOf(owner, null, { notBefore: performance.now() }).catch(
      (error: unknown) => error,
    );

    expect(refusal).to.be.instanceOf(UnavailableError);
  });

  it('are read again after a failed read, even if no newer read is requested', async () => {
    const { webhooksOf, model } = readerOf(webhook('wh_1', 'acct_1'));
    model.isComplete = false;
    await webhooksOf(owner, null, { notBefore: 0 }).catch(() => undefined);
    model.isComplete = true;

    expect(idsOf(await webhooksOf(owner, null, { notBefore: 0 }))).to.deep.equal(['wh_1']);
  });

  it('are read again if a newer read is requested', async () => {
    const { webhooksOf, model } = readerOf();
    await webhooksOf(owner, null, { notBefore: performance.now() });
    model.documents = [webhook('wh_1', 'acct_1')];

    expect(idsOf(await webhooksOf(owner, null, { notBefore: performance.now() }))).to.deep.equal(['wh_1']);
  });

  it('are read again if a newer read is requested by the time of day, no matter what the monotonic clock says', async () => {
    const { webhooksOf, model } = readerOf();
    await webhooksOf(owner, null, { notBefore: 0 });
    model.documents = [webhook('wh_1', 'acct_1')];
    const read = webhooksOf(owner, null, { notBefore: 0, notBeforeTime: Date.now() + 1 });

    expect(idsOf(await read)).to.deep.equal(['wh_1']);
  });

  it('are not read again if the last read is recent enough', async () => {
    const { webhooksOf, model } = readerOf(webhook('wh_1', 'acct_1'));
    const freshness = { notBefore: performance.now(), notBeforeTime: Date.now() };
    await webhooksOf(owner, null, freshness);
    await webhooksOf(owner, null, freshness);

    expect(model.reads).to.equal(1);
  });

  describe('that are requested frequently', () => {
    const firstReadAt = 1000;
    const dueAt = firstReadAt + 40;
    /** Requests for which the first read is recent enough, by 10 ms. */
    const content = { notBefore: firstReadAt - 10 };

    /** A reader whose next read is due, with a stopped clock. */
    async function dueReader() {
      const reader = readerOf(webhook('wh_1', 'acct_1'));
      reader.model.now = () => firstReadAt;
      await reader.webhooksOf(owner, null, content);
      reader.model.now = () => dueAt;
      return reader;
    }

    /** A reader that has started that read, which ends once `release` is called. */
    async function readingAhead() {
      const reader = await dueReader();
      const { model, webhooksOf } = reader;
      let release: () => void = () => undefined;
      model.answers = new Promise((resolve) => {
        release = resolve;
      });
      model.documents = [webhook('wh_2', 'acct_1')];
      const answer = idsOf(await webhooksOf(owner, null, content));
      await readsOf(reader, 2);
      return { ...reader, answer, release };
    }

    const readsOf = ({ model }: ReturnType<typeof readerOf>, reads: number) =>
      eventually(`${reads} reads`, () => (model.reads === reads ? true : null));

    it('are those of the last read while it is recent enough', async () => {
      expect((await readingAhead()).answer).to.deep.equal(['wh_1']);
    });

    it('are not read ahead if the last read stays recent enough for long', async () => {
      const { webhooksOf, model } = await dueReader();
      await webhooksOf(owner, null, { notBefore: firstReadAt - 30 });
      await endOfTurn();
      expect(model.reads).to.equal(1);
    });

    it('are read ahead once for all requests meanwhile', async () => {
      const { webhooksOf, model } = await readingAhead();
      await webhooksOf(owner, null, content);
      await endOfTurn();
      expect(model.reads).to.equal(2);
    });

    it('are those of the read-ahead when it has ended', async () => {
      const { webhooksOf, release } = await readingAhead();
      release();
      await webhooksOf(owner, null, content);
      const newer = async () => idsOf(await webhooksOf(owner, null, content));
      expect(
        await eventually('the read ahead', async () => ((await newer())[0] === 'wh_2' ? 2 : null)),
      ).to.equal(2);
    });

    it('are those of the read-ahead if a newer read than the last one is requested', async () => {
      const { webhooksOf, model, release } = await readingAhead();
      const newer = webhooksOf(owner, null, { notBefore: model.now() });
      release();
      expect([idsOf(await newer), model.reads]).to.deep.equal([['wh_2'], 2]);
    });

    it('are read again if a newer read than the read-ahead is requested', async () => {
      const { webhooksOf, model, release } = await readingAhead();
      model.now = () => dueAt + 1;
      const newer = webhooksOf(owner, null, { notBefore: model.now() });
      release();
      await newer;
      expect(model.reads).to.equal(3);
    });

    it('are not those of a read-ahead that ends after a newer read', async () => {
      const { webhooksOf, model, release } = await readingAhead();
      model.answers = Promise.resolve();
      model.documents = [webhook('wh_3', 'acct_1')];
      model.now = () => dueAt + 1;
      await webhooksOf(owner, null, { notBefore: model.now() });
      release();
      await endOfTurn();
      await endOfTurn();
      expect(idsOf(await webhooksOf(owner, null, content))).to.deep.equal(['wh_3']);
    });

    it('are read ahead again after a failed read-ahead', async () => {
      const reader = await dueReader();
      reader.model.isComplete = false;
      await reader.webhooksOf(owner, null, content);
      await readsOf(reader, 2);
      await reader.webhooksOf(owner, null, content);
      expect(await readsOf(reader, 3)).to.equal(true);
    });
  });

  it('are read once, with those of other accounts, for all requests in one turn of the event loop', async () => {
    const { webhooksOf, model } = readerOf(webhook('wh_1', 'acct_1'), webhook('wh_2', 'acct_2'));
    const now = performance.now();
    const snapshots = await Promise.all([
      webhooksOf(owner, null, { notBefore: now }),
      webhooksOf(owner, null, { notBefore: now }),
      webhooksOf({ ...owner, accountId: 'acct_2' }, null, { notBefore: now }),
    ]);

    expect([model.reads, ...snapshots.map(idsOf)]).to.deep.equal([1, ['wh_1'], ['wh_1'], ['wh_2']]);
  });
});

describe('one webhook', () => {
  const live = (webhookId: string) => ({ accountId: 'acct_1', mode: 'live', webhookId }) as const;
  const idOf = ({ webhook: found }: WebhookReading) => found?.id;

  it('is taken from a recent read of its account', async () => {
    const { webhooksOf, webhookOf, model } = readerOf(webhook('wh_1', 'acct_1'));
    const now = performance.now();
    await webhooksOf(owner, null, { notBefore: now });

    expect([idOf(await webhookOf(live('wh_1'), { notBefore: now })), model.reads]).to.deep.equal(['wh_1', 1]);
  });

  it('is read by its id, together with all others that are requested in one turn of the event loop', async () => {
    const { webhookOf, model } = readerOf(webhook('wh_1', 'acct_1'), webhook('wh_2', 'acct_1'));
    const now = performance.now();
    const found = await Promise.all(
      ['wh_1', 'wh_2', 'wh_1'].map((id) => webhookOf(live(id), { notBefore: now })),
    );

    expect([model.reads, ...found.map(idOf)]).to.deep.equal([1, 'wh_1', 'wh_2', 'wh_1']);
  });

  it('does not exist after its deletion', async () => {
    const { webhookOf } = readerOf(webhook('wh_1', 'acct_1', { status: 'deleted' }));

    expect(idOf(await webhookOf(live('wh_1'), { notBefore: 0 }))).to.equal(undefined);
  });

  it('is unknown while the model is incomplete', async () => {
    const { webhookOf, model } = readerOf(webhook('wh_1', 'acct_1'));
    model.isComplete = false;
    const error = await webhookOf(live('wh_1'), { notBefore: 0 }).catch((thrown: unknown) => thrown);

    expect(error).to.be.instanceOf(UnavailableError);
  });
});

describe('the webhooks for the events of a tenant', () => {
  const ofTenant = (id: string, tenantId: string | null) =>
    webhook(id, 'acct_1', { tenantId, tenancy: tenantId });

  it('are those of the tenant and those of every tenant, in one read', async () => {
    const { webhooksOf, model } = readerOf(
      ofTenant('wh_1', 'one'),
      ofTenant('wh_2', 'two'),
      ofTenant('wh_3', '*'),
      ofTenant('wh_4', null),
    );
    const now = performance.now();
    const snapshots = await Promise.all(
      ['one', 'two', null].map((tenantId) => webhooksOf(owner, tenantId, { notBefore: now })),
    );

    expect([model.reads, ...snapshots.map(idsOf)]).to.deep.equal([
      1,
      ['wh_1', 'wh_3'],
      ['wh_2', 'wh_3'],
      ['wh_4', 'wh_3'],
    ]);
  });

  it('are found by five reads for 300 tenants in one turn of the event loop', async () => {
    const { webhooksOf, model } = readerOf();
    const tenants = Array.from({ length: 300 }, (_, number) => `tenant-${number}`);
    await Promise.all(tenants.map((tenantId) => webhooksOf(owner, tenantId, { notBefore: 0 })));

    expect(model.reads).to.equal(5);
  });

  it('are as old as the older of their two reads', async () => {
    const { webhooksOf, model } = readerOf();
    model.now = () => 1000;
    await webhooksOf(owner, 'one', { notBefore: 1000 });
    model.now = () => 1100;

    expect((await webhooksOf(owner, 'two', { notBefore: 1000 })).readAt).to.equal(1000);
  });

  /** Reads groups of 100 webhooks. Returns how many reads cost the last group, and the last and the first one. */
  async function readAgain(groups: number, credentials: readonly Credential[]) {
    const { webhooksOf, model } = readerOf();
    model.now = () => 1000;
    const tenants = Array.from({ length: groups }, (_, number) => `tenant-${number}`);
    model.documents = tenants.flatMap((tenantId) =>
      Array.from({ length: 100 }, (_, number) =>
        webhook(`wh_${tenantId}-${number}`, 'acct_1', { tenantId, tenancy: tenantId, credentials }),
      ),
    );
    await Promise.all(tenants.map((tenantId) => webhooksOf(owner, tenantId, { notBefore: 970 })));
    const { reads } = model;
    await webhooksOf(owner, `tenant-${groups - 1}`, { notBefore: 970 });
    const again = model.reads - reads;
    await webhooksOf(owner, 'tenant-0', { notBefore: 970 });
    return [again, model.reads - reads];
  }

  it('are at most 20,000 in memory: those that were read first are read again', async () => {
    // The webhooks of every tenant are read again too.
    expect(await readAgain(201, [])).to.deep.equal([1, 2]);
  });

  it('are at most 1,500 in memory if each has 50 KB of credentials', async () => {
    const value = { key: 'key', sealed: 'x'.repeat(50_000) };

    expect(await readAgain(16, [{ name: 'auth/mtls', value, updated: new Date(0) }])).to.deep.equal([0, 1]);
  });

  it('contain a webhook that is taken from the read of its group', async () => {
    const { webhooksOf, webhookOf, model } = readerOf(ofTenant('wh_1', 'one'), ofTenant('wh_2', '*'));
    await webhooksOf(owner, 'one', { notBefore: 0 });
    const found = await Promise.all(
      ['one', '*'].map((tenancy, index) =>
        webhookOf({ ...owner, webhookId: `wh_${index + 1}`, tenantId: 'one', tenancy }, { notBefore: 0 }),
      ),
    );

    expect([model.reads, ...found.map(({ webhook: one }) => one?.id)]).to.deep.equal([1, 'wh_1', 'wh_2']);
  });
});

describe('the read of the webhooks of an account', () => {
  it('costs the same for 10,000 webhooks of other tenants as for none', async () => {
    const stored = await openStoredModels('webhooks');
    try {
      const reader = createWebhookReader(stored.models.webhooks, () => performance.now());
      const tenants = Array.from({ length: 64 }, (_, number) => `tenant-${number}`);
      const read = () =>
        Promise.all(
          tenants.map((tenantId) => reader.webhooksOf(owner, tenantId, { notBefore: performance.now() })),
        );
      const documentsOf = (names: readonly string[]) =>
        names.map((tenantId) =>
          webhookDocument({ id: `wh_${tenantId}`, accountId: 'acct_1', tenantId, tenancy: tenantId }),
        );
      await stored.collectionOf('webhooks').insertMany([...documentsOf(tenants)]);
      const alone = await stored.costOf('webhooks', read);
      const others = Array.from({ length: 10_000 }, (_, number) => `other-${number}`);
      await stored.collectionOf('webhooks').insertMany([...documentsOf(others)]);
      const cost = await stored.costOf('webhooks', read);

      expect(cost.documents).to.equal(alone.documents);
      // Two reads for 64 tenants, each after a read of the meta document.
      expect(cost.commands).to.equal(4);
      // A range that ends at another webhook costs one more key.
      expect(cost.keys).to.be.at.most(alone.keys + 2);
    } finally {
      await stored.close();
    }
  });

  it('costs the same for 1,000 deleted webhooks as for one, and finds the others', async () => {
    const stored = await openStoredModels('webhooks');
    try {
      const reader = createWebhookReader(stored.models.webhooks, () => performance.now());
      const read = () => reader.webhooksOf(owner, null, { notBefore: performance.now() });
      const all = deletedWebhooks('acct_1', 1000);
      await stored
        .collectionOf('webhooks')
        .insertMany([
          ...all.slice(0, 1),
          webhookDocument({ id: 'wh_active', accountId: 'acct_1' }),
          webhookDocument({ id: 'wh_disabled', accountId: 'acct_1', status: 'disabled' }),
          webhookDocument({ id: 'wh_other', accountId: 'acct_2' }),
        ]);
      const next = await stored.costOf('webhooks', read);
      await stored.collectionOf('webhooks').insertMany([...all.slice(1)]);

      expect(await stored.costOf('webhooks', read)).to.deep.equal(next);
      // MongoDB counts a document of a webhook without a tenant twice, because it compares the field before it returns it.
      expect(next.documents).to.be.at.most(6);
      expect(idsOf(await read())).to.have.members(['wh_active', 'wh_disabled']);
    } finally {
      await stored.close();
    }
  });
});
