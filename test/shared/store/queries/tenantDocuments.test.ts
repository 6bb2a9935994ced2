import { expect } from 'chai';
import fc from 'fast-check';
import type { Binary } from 'mongodb';

import { containsEvent } from '../../../../shared/domain/tenants/tenant.js';
import type { Delivery, DeliveryStatus } from '../../../../shared/domain/deliveries/delivery.js';
import { evolveDelivery } from '../../../../shared/domain/deliveries/evolveDelivery.js';
import { toBinary } from '../../../../shared/store/client/binary.js';
import { entriesOf } from '../../../../shared/store/entries/deliveryEntries.js';
import { entryOperations } from '../../../../shared/store/entries/entryChanges.js';
import type {
  AttemptDocument,
  EventDocument,
  ModelDocument,
} from '../../../../shared/store/models/documents.js';
import { isDerived } from '../../../../shared/store/models/documents.js';
import {
  createTenantDocuments,
  type LifeOfTenant,
} from '../../../../shared/store/queries/tenantDocuments.js';
import { failed } from '../../../support/deliveryFacts.js';
import { secondsLater, start, testIdentifier } from '../../../support/facts.js';
import { openStoredModels, type StoredModels } from '../../../support/storedModels.js';

const accountId = testIdentifier('acct');
const tenantId = 'customer-1';
const never = new AbortController().signal;
const owner = { accountId, mode: 'live', tenantId } as const;
const data: Binary = toBinary(Buffer.from('{}'));

/** A life with the events between two offsets, which are the same in two partitions. */
function lifeOf(lifeId: string, from: number, below: number): LifeOfTenant {
  return { ...owner, lifeId, eventsFrom: [from, from], eventsBelow: [below, below] };
}

/** The fields of a replay that the removal reads. */
interface StoredReplay extends ModelDocument {
  readonly tenancy: string;
  readonly status: string;
}

interface Position {
  readonly home: number;
  readonly offset: number;
}

function eventIdOf({ home, offset }: Position): string {
  return testIdentifier('evt', 100 * home + offset);
}

function deliveryOf(status: DeliveryStatus, tenancy: string): Delivery {
  return { ...evolveDelivery(null, failed()), status, tenancy, webhookId: testIdentifier('wh') };
}

function eventAt(position: Position, status: DeliveryStatus = 'delivered', tenancy = '*'): EventDocument {
  const { home, offset } = position;
  return {
    _id: eventIdOf(position),
    ...{ ...owner, type: 'a', onlyWebhookId: null, data, home, homeOffset: offset },
    created: secondsLater(offset),
    source: { partition: home, offset, appended: 0 },
    deliveries: [deliveryOf(status, tenancy)],
    positions: {},
  };
}

function attemptAt(position: Position, tenancy: string): AttemptDocument {
  const { home, offset } = position;
  return {
    _id: testIdentifier('att', 100 * home + offset),
    ...{ accountId, mode: 'live', eventId: eventIdOf(position), webhookId: testIdentifier('wh'), tenancy },
    ...(tenancy === '*' && { ofTenant: tenantId, home, homeOffset: offset }),
    ...{ cycle: 0, number: 1, trigger: 'first', status: 'succeeded', statusCode: 200, error: null },
    ...{ durationMs: 1, responseBody: data, url: null, requestHeaders: null, responseHeaders: null },
    ...{ versionKey: `${testIdentifier('wh')}/0`, eventType: null },
    ...{ created: start, recorded: start, positions: {} },
  };
}

describe('the removal of the documents of a life of a tenant', () => {
  let stored: StoredModels;
  beforeEach(async () => {
    stored = await openStoredModels('events', 'attempts', 'replays');
  });
  afterEach(() => stored.close());

  const events = () => stored.collectionOf('events');

  const store = async (...documents: readonly EventDocument[]) => {
    await events().insertMany([...documents]);
    const operations = entryOperations(documents.map((event) => ({ before: [], after: entriesOf(event) })));
    await stored.database
      .collection<ModelDocument>(events().collectionName)
      .bulkWrite([...operations, { deleteMany: { filter: { _id: 'none' } } }]);
  };

  const remove = (life: LifeOfTenant) => createTenantDocuments(stored.database).remove(life, never);

  const idsIn = async (model: 'events' | 'attempts' | 'replays') => {
    const found = await stored.database
      .collection<ModelDocument>(stored.collectionOf(model).collectionName)
      .find()
      .toArray();
    return found.map(({ _id }) => _id).filter((id) => id !== 'meta');
  };

  it('removes exactly the events and attempts of the life, whatever lives the tenant has had', async () => {
    const anyLives = fc
      .uniqueArray(fc.nat(6), { minLength: 2, maxLength: 6 })
      .map((bounds) => bounds.toSorted((one, other) => one - other));
    const all = [0, 1].flatMap((home) => [0, 1, 2, 3, 4, 5, 6].map((offset) => ({ home, offset })));
    await fc.assert(
      fc.asyncProperty(anyLives, fc.nat(), fc.nat(13), async (bounds, chosen, open) => {
        await Promise.all(
          (['events', 'attempts'] as const).map((model) =>
            stored.database.collection<ModelDocument>(stored.collectionOf(model).collectionName).deleteMany({
              _id: { $ne: 'meta' },
            }),
          ),
        );
        const lives = bounds
          .slice(1)
          .map((below, index) => lifeOf(`life-${index}`, bounds[index] ?? 0, below));
        const life = lives[chosen % lives.length] ?? lifeOf('life', 0, 0);
        await store(
          ...all.map((position, index) => eventAt(position, index === open ? 'retrying' : 'failed')),
        );
        await stored.collectionOf('attempts').insertMany(all.map((position) => attemptAt(position, '*')));
        const isOfLife = ({ home: partition, offset }: Position) =>
          containsEvent(life, { partition, offset });
        const result = await remove(life);

        const left = (await idsIn('events')).filter((_id) => !isDerived({ _id }));
        const kept = all.filter((position, index) => !isOfLife(position) || index === open);
        expect(left).to.have.members(kept.map(eventIdOf));
        expect((await idsIn('attempts')).length).to.equal(
          all.filter((position) => !isOfLife(position)).length,
        );
        const isOpenOfLife = all.some((position, index) => index === open && isOfLife(position));
        expect(result.remaining).to.equal(isOpenOfLife ? 1 : 0);
      }),
      { numRuns: 15 },
    );
  });

  it('removes the entries of the events, and the counters of the webhooks of the life', async () => {
    await store(
      eventAt({ home: 0, offset: 1 }, 'failed', 'life-1'),
      eventAt({ home: 1, offset: 1 }, 'canceled', 'life-1'),
    );
    const before = (await idsIn('events')).length;
    await remove(lifeOf('life-1', 0, 5));
    expect([before, await idsIn('events')]).to.deep.equal([6, []]);
  });

  it('removes an event without its own record, which only a late outcome has created', async () => {
    const {
      mode: _mode,
      created: _created,
      source: _source,
      data: _data,
      ...late
    } = eventAt({
      home: 0,
      offset: 1,
    });
    const { homeOffset: _offset, ...unknown } = { ...late, _id: testIdentifier('evt', 2) };
    await store(late, { ...unknown, deliveries: [deliveryOf('delivered', 'life-1')] });
    await remove(lifeOf('life-1', 0, 5));
    expect(await idsIn('events')).to.deep.equal([]);
  });

  it('keeps the events of the other mode, of other tenants and of other accounts', async () => {
    const event = eventAt({ home: 0, offset: 1 });
    await store(
      { ...event, _id: testIdentifier('evt', 1), mode: 'test' },
      { ...event, _id: testIdentifier('evt', 2), tenantId: 'customer-2' },
      { ...event, _id: testIdentifier('evt', 3), accountId: testIdentifier('acct', 2) },
    );
    expect(await remove(lifeOf('life-1', 0, 5))).to.deep.equal({ removed: 0, remaining: 0 });
  });

  it('removes the attempts of the webhooks of the life, and replays that have ended', async () => {
    await stored
      .collectionOf('attempts')
      .insertMany([attemptAt({ home: 0, offset: 9 }, 'life-1'), attemptAt({ home: 1, offset: 9 }, 'life-2')]);
    const replays = stored.database.collection<StoredReplay>(stored.collectionOf('replays').collectionName);
    const replay = { ...owner, tenancy: 'life-1', created: start, positions: {} };
    await replays.insertMany([
      { ...replay, _id: 'rpl_1', status: 'canceled' },
      { ...replay, _id: 'rpl_2', status: 'running' },
      { ...replay, _id: 'rpl_3', status: 'completed', tenancy: '*' },
    ]);
    const result = await remove(lifeOf('life-1', 0, 5));

    expect(result).to.deep.equal({ removed: 2, remaining: 1 });
    expect([(await idsIn('attempts')).length, await idsIn('replays')]).to.deep.equal([1, ['rpl_2', 'rpl_3']]);
  });
});
