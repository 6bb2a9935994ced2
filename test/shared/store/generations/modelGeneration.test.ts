import { expect } from 'chai';

import { toBinary } from '../../../../shared/store/client/binary.js';
import type { Mongo } from '../../../../shared/store/client/client.js';
import {
  createGenerationStore,
  type GenerationStore,
} from '../../../../shared/store/generations/generationStore.js';
import {
  openGeneration,
  type ModelGeneration,
} from '../../../../shared/store/generations/modelGeneration.js';
import type {
  AttemptDocument,
  EventDocument,
  WebhookDocument,
} from '../../../../shared/store/models/documents.js';
import { start } from '../../../support/facts.js';
import { sealed } from '../../../support/webhookFacts.js';
import { openNewDatabase } from '../../../support/mongo.js';

const owner = { accountId: 'acct_1', mode: 'live' } as const;

function webhook(id: string): WebhookDocument {
  return {
    ...owner,
    _id: id,
    tenantId: null,
    tenancy: null,
    url: 'https://example.com/hook',
    events: ['*'],
    description: null,
    name: null,
    mutedUntil: null,
    status: 'active',
    disabledReason: null,
    created: start,
    enabledAt: start,
    secrets: [{ secret: sealed('first'), created: start, expiresAt: null }],
    options: null,
    eventsFrom: [0, 0, 0],
    epoch: 0,
    version: 0,
    positions: { 'webhooks/0': 1 },
    recordIds: ['a'],
  };
}

function attempt(id: string, number = 1): AttemptDocument {
  return {
    ...owner,
    _id: id,
    eventId: 'evt_1',
    webhookId: 'wh_1',
    versionKey: 'wh_1/0',
    cycle: 0,
    number,
    trigger: 'first',
    status: 'succeeded',
    statusCode: 200,
    error: null,
    durationMs: 1,
    responseBody: toBinary(Buffer.alloc(0)),
    url: null,
    requestHeaders: null,
    responseHeaders: null,
    eventType: null,
    created: start,
    recorded: start,
    positions: { 'deliveries/1': number },
  };
}

describe('A generation of a read model', () => {
  let mongo: Mongo;
  let store: GenerationStore;
  let webhooks: ModelGeneration<WebhookDocument>;
  let events: ModelGeneration<EventDocument>;

  before(async () => {
    mongo = await openNewDatabase();
    store = createGenerationStore({
      database: mongo.database,
      offsets: { ends: () => Promise.resolve([]) },
    });
    webhooks = openGeneration(mongo.database, (await store.ensureLive('webhooks')).live, {
      unreadFields: [],
    });
    events = openGeneration(mongo.database, (await store.ensureLive('events')).live, {
      unreadFields: ['data'],
    });
  });

  /** The webhook as it was stored and loaded again. */
  async function stored(id: string): Promise<WebhookDocument> {
    await webhooks.write([{ before: null, after: webhook(id) }]);
    return (await webhooks.load([id])).get(id) ?? webhook(id);
  }

  it('returns documents unchanged', async () => {
    expect(await stored('wh_1')).to.deep.equal(webhook('wh_1'));
  });

  it('removes the fields that a fold has dropped', async () => {
    const before = await stored('wh_2');
    const after: WebhookDocument = {
      ...owner,
      _id: 'wh_2',
      tenantId: null,
      tenancy: null,
      status: 'deleted',
      positions: { 'webhooks/0': 2 },
      recordIds: ['a', 'b'],
    };
    await webhooks.write([{ before, after }]);

    expect((await webhooks.load(['wh_2'])).get('wh_2')).to.deep.equal(after);
  });

  it('keeps the fields that were not loaded', async () => {
    const data = toBinary(Buffer.from('{"amount": 1.10}'));
    const event: EventDocument = {
      _id: 'evt_1',
      data,
      home: 0,
      deliveries: [],
      positions: { 'events/0': 1 },
    };
    await events.write([{ before: null, after: event }]);
    const before = (await events.load(['evt_1'])).get('evt_1') ?? event;
    await events.write([{ before, after: { ...before, type: 'a', positions: { 'events/0': 2 } } }]);
    const collections = await mongo.database.listCollections({ name: /^events\./ }).toArray();
    const documents = await Promise.all(
      collections.map(({ name }) => mongo.database.collection<EventDocument>(name).findOne({ _id: 'evt_1' })),
    );

    expect(documents.map((document) => document?.data?.toString())).to.deep.equal(['{"amount": 1.10}']);
  });

  it('reports a conflict if another process has advanced the document', async () => {
    const before = await stored('wh_3');
    const write = (offset: number) =>
      webhooks.write([{ before, after: { ...before, positions: { 'webhooks/0': offset } } }]);

    expect([await write(2), await write(3)]).to.deep.equal(['written', 'conflict']);
  });

  it('reports a conflict if another process has created the document', async () => {
    await stored('wh_4');

    expect(await webhooks.write([{ before: null, after: webhook('wh_4') }])).to.equal('conflict');
  });

  it('reports a conflict in one of the parts of many documents, and writes the other documents of all parts', async () => {
    const before = await stored('wh_5');
    const many = Array.from({ length: 600 }, (_, number) => ({
      before: null,
      after: webhook(`wh_many_${number}`),
    }));
    const stale = {
      before: { ...before, positions: { 'webhooks/0': 0 } },
      after: { ...before, recordIds: ['stale'] },
    };
    const result = await webhooks.write([...many.slice(0, 300), stale, ...many.slice(300)]);
    const ids = ['wh_5', ...many.map(({ after }) => after._id)];
    const loaded = await webhooks.load(ids);

    expect([result, loaded.size, loaded.get('wh_5')?.recordIds]).to.deep.equal([
      'conflict',
      ids.length,
      ['a'],
    ]);
  });

  it('keeps existing documents if it only inserts, and adds the others', async () => {
    const attempts = openGeneration<AttemptDocument>(
      mongo.database,
      (await store.ensureLive('attempts')).live,
      { unreadFields: [], insertsOnly: true },
    );
    const write = (documents: readonly AttemptDocument[]) =>
      attempts.write(documents.map((after) => ({ before: null, after })));
    const results = [
      await write([attempt('att_1')]),
      await write([attempt('att_1', 2), attempt('att_2', 2)]),
    ];
    const stored = mongo.database
      .collection<AttemptDocument>(attempts.name)
      .find({ eventId: 'evt_1' })
      .sort({ _id: 1 });
    const found = (await stored.toArray()).map(({ _id, number, positions }) => ({ _id, number, positions }));

    expect({ results, found }).to.deep.equal({
      results: ['written', 'written'],
      found: [
        { _id: 'att_1', number: 1, positions: {} },
        { _id: 'att_2', number: 2, positions: {} },
      ],
    });
  });
});
