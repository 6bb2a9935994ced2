import { expect } from 'chai';

import { recordReference } from '../../../projections/fold/foldDocuments.js';
import { createFoldBatches, type Batch, type FoldBatches } from '../../../projections/fold/foldBatches.js';
import { eventsProjection } from '../../../projections/models/events.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { OutgoingRecord, RawRecord } from '../../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import { connectMongo, type Mongo } from '../../../shared/store/client/client.js';
import { createGenerationStore } from '../../../shared/store/generations/generationStore.js';
import { openGeneration, type ModelGeneration } from '../../../shared/store/generations/modelGeneration.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { succeeded } from '../../support/deliveryFacts.js';
import { start, testIdentifier } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { isolatedConfig } from '../../support/settings.js';

const fact = succeeded({ number: 1 });
const id = fact.context.key;
const event = eventOf(1);
const outcome = outcomeOf(1);

function idOf(number: number): string {
  return testIdentifier('evt', number);
}

function eventOf(number: number): OutgoingRecord {
  return encodeEvent({
    id: idOf(number),
    accountId: testIdentifier('acct'),
    mode: 'live',
    type: 'order.completed',
    created: start,
    data: Buffer.from('{}'),
    onlyWebhookId: null,
    tenantId: null,
  });
}

function outcomeOf(number: number): OutgoingRecord {
  return deliveryRecords.encode(fact, { ...fact.context, key: idOf(number) }, 0);
}

function batchOf(...outgoing: readonly OutgoingRecord[]): Batch<EventDocument> {
  const records = outgoing.map((record, offset) => read(rawRecord(record, { offset })));
  const topic = outgoing[0]?.topic ?? 'events';
  return { partition: { topic, partition: 0 }, records, nextOffset: outgoing.length, filteredAt: Date.now() };
}

function read(record: RawRecord) {
  const decoded = eventsProjection.read(record);
  if (!decoded.readable) {
    throw new Error(decoded.reason);
  }
  return { record: recordReference(record), folds: decoded.content };
}

describe('createFoldBatches', () => {
  let mongo: Mongo;
  let generation: ModelGeneration<EventDocument>;
  let lookedFor: string[];
  let writes: number;
  let foldBatches: FoldBatches<EventDocument>;

  before(async () => {
    mongo = await connectMongo((await isolatedConfig()).mongodb.url, 'test');
  });
  after(() => mongo.close());

  beforeEach(async () => {
    const store = createGenerationStore({
      database: mongo.database,
      offsets: { ends: () => Promise.resolve([]) },
    });
    const { live } = await store.ensureLive('events');
    const opened = openGeneration<EventDocument>(mongo.database, live, eventsProjection);
    lookedFor = [];
    writes = 0;
    generation = {
      ...opened,
      load: (ids) => {
        lookedFor.push(...ids);
        return opened.load(ids);
      },
      write: (changes) => {
        writes += 1;
        return opened.write(changes);
      },
    };
    foldBatches = createFoldBatches(generation);
  });
  afterEach(() => mongo.database.dropDatabase());

  const fold = (...batches: readonly Batch<EventDocument>[]) => foldBatches(batches, null);

  const stored = async () => {
    const document = (await generation.load([id])).get(id);
    return { type: document?.type, deliveries: document?.deliveries.map(({ status }) => status) };
  };

  it('creates an event from its record without loading it, and from its outcomes after loading it', async () => {
    await fold(batchOf(event), batchOf(outcome));

    expect([[...lookedFor], await stored()]).to.deep.equal([
      [],
      { type: 'order.completed', deliveries: ['delivered'] },
    ]);
  });

  it('loads the event of an outcome', async () => {
    await fold(batchOf(event));
    await fold(batchOf(outcome));

    expect([[...lookedFor], await stored()]).to.deep.equal([
      [id],
      { type: 'order.completed', deliveries: ['delivered'] },
    ]);
  });

  it('detects that an event exists already, and continues from it', async () => {
    await fold(batchOf(outcome));
    lookedFor = [];
    await fold(batchOf(event));

    expect([[...lookedFor], await stored()]).to.deep.equal([
      [id],
      { type: 'order.completed', deliveries: ['delivered'] },
    ]);
  });

  it('loads created events in the next rounds, as long as it finds some', async () => {
    await fold(batchOf(...[1, 2].map(outcomeOf)));
    await fold(batchOf(eventOf(1)));
    lookedFor = [];
    writes = 0;
    await fold(batchOf(eventOf(2)));
    for (let number = 3; number < 15; number += 1) {
      await fold(batchOf(eventOf(number)));
    }

    const looked = Array.from({ length: 11 }, (_, index) => idOf(index + 2));
    expect([lookedFor, writes]).to.deep.equal([looked, 13]);
  });

  it('fails, so that its partitions are read again, if other processes are always faster', async () => {
    let tries = 0;
    const write = () => {
      tries += 1;
      return Promise.resolve('conflict' as const);
    };
    const contended = createFoldBatches({ ...generation, write }, { shortestPauseMs: 0 });
    const error: unknown = await contended([batchOf(event)], null).catch((thrown: unknown) => thrown);

    expect([error instanceof UnavailableError, tries]).to.deep.equal([true, 9]);
  });

  it('changes nothing if records are folded again, as after a crash', async () => {
    await fold(batchOf(event), batchOf(outcome));
    const before = (await generation.load([id])).get(id);
    await fold(batchOf(event), batchOf(outcome));

    expect((await generation.load([id])).get(id)).to.deep.equal(before);
  });
});
