import { expect } from 'chai';

import { eventsProjection } from '../../projections/events.js';
import { foldTogether, type Batch } from '../../projections/folding.js';
import { connectMongo, type Mongo } from '../../shared/mongo/client.js';
import type { EventDocument } from '../../shared/mongo/documents.js';
import { createGenerationStore } from '../../shared/mongo/generationStore.js';
import { openGeneration, type ModelGeneration } from '../../shared/mongo/modelGeneration.js';
import { deliveryRecords } from '../../shared/topics/deliveries.js';
import { encodeEvent } from '../../shared/topics/events.js';
import type { OutgoingRecord, RawRecord } from '../../shared/topics/record.js';
import { succeeded } from '../support/deliveryFacts.js';
import { start, testIdentifier } from '../support/facts.js';
import { rawRecord } from '../support/records.js';
import { isolatedConfig } from '../support/settings.js';

const fact = succeeded({ number: 1 });
const id = fact.context.key;
const event = encodeEvent({
  id,
  accountId: testIdentifier('acct'),
  mode: 'live',
  type: 'order.completed',
  created: start,
  data: Buffer.from('{}'),
  onlyWebhookId: null,
});
const outcome = deliveryRecords.encode(fact, fact.context);

function batchOf(...outgoing: readonly OutgoingRecord[]): Batch<EventDocument> {
  const records = outgoing.map((record, offset) => read(rawRecord(record, { offset })));
  const topic = outgoing[0]?.topic ?? 'events';
  return { partition: { topic, partition: 0 }, records, next: outgoing.length };
}

function read(record: RawRecord) {
  const decoded = eventsProjection.read(record);
  if (!decoded.readable) {
    throw new Error(decoded.reason);
  }
  return { record, foldings: decoded.content };
}

describe('foldTogether', () => {
  let mongo: Mongo;
  let generation: ModelGeneration<EventDocument>;
  let lookedFor: string[];

  beforeEach(async () => {
    mongo = await connectMongo((await isolatedConfig()).mongodb.url, 'test');
    const store = createGenerationStore({
      database: mongo.database,
      offsets: { ends: () => Promise.resolve([]) },
    });
    const { live } = await store.ensureLive('events');
    const opened = openGeneration<EventDocument>(mongo.database, live, eventsProjection);
    lookedFor = [];
    generation = {
      ...opened,
      load: (ids) => {
        lookedFor.push(...ids);
        return opened.load(ids);
      },
    };
  });
  afterEach(() => mongo.close());

  const fold = (...batches: readonly Batch<EventDocument>[]) => foldTogether(batches, generation, null);

  const stored = async () => {
    const document = (await generation.load([id])).get(id);
    return { type: document?.type, deliveries: document?.deliveries.map(({ status }) => status) };
  };

  it('makes an event of its record without a look for one, and of its outcomes with it', async () => {
    await fold(batchOf(event), batchOf(outcome));

    expect([[...lookedFor], await stored()]).to.deep.equal([
      [],
      { type: 'order.completed', deliveries: ['delivered'] },
    ]);
  });

  it('looks for the event of an outcome', async () => {
    await fold(batchOf(event));
    await fold(batchOf(outcome));

    expect([[...lookedFor], await stored()]).to.deep.equal([
      [id],
      { type: 'order.completed', deliveries: ['delivered'] },
    ]);
  });

  it('finds out that an event is there all the same, and goes on from it', async () => {
    await fold(batchOf(outcome));
    lookedFor = [];
    await fold(batchOf(event));

    expect([[...lookedFor], await stored()]).to.deep.equal([
      [id],
      { type: 'order.completed', deliveries: ['delivered'] },
    ]);
  });

  it('changes nothing where the same comes again, as after a crash', async () => {
    await fold(batchOf(event), batchOf(outcome));
    const before = (await generation.load([id])).get(id);
    await fold(batchOf(event), batchOf(outcome));

    expect((await generation.load([id])).get(id)).to.deep.equal(before);
  });
});
