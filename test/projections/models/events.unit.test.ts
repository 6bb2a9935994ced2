import { expect } from 'chai';
import fc from 'fast-check';

import { eventsProjection } from '../../../projections/models/events.js';
import type { Delivery } from '../../../shared/domain/deliveries/delivery.js';
import type { DeliveryFact } from '../../../shared/domain/deliveries/deliveryFacts.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import { fromBinary } from '../../../shared/store/client/binary.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import {
  canceled,
  deferred,
  failed,
  matched,
  requested,
  succeeded,
  testEventId,
} from '../../support/deliveryFacts.js';
import { secondsLater, start, testIdentifier, type InContext } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { batchesOf, foldAll, foldedDocument, interleavedFetches, without } from '../foldedLog.js';
import { eventNumber } from '../histories.js';

const event = { ...eventNumber(1), id: testEventId };
const eventRecord = rawRecord(encodeEvent(event), { partition: 1, offset: 10 });

function deliveryRecord(fact: InContext<DeliveryFact>, offset: number): RawRecord {
  return rawRecord(deliveryRecords.encode(fact, fact.context, 2), { partition: 2, offset });
}

function toWebhook(number: number, fact = succeeded): InContext<DeliveryFact> {
  return fact({ webhookId: testIdentifier('wh', number) });
}

function deliveriesAfter(...facts: readonly InContext<DeliveryFact>[]): readonly Delivery[] | undefined {
  return foldedDocument(eventsProjection, facts.map(deliveryRecord))?.deliveries;
}

describe('eventsProjection: a document of version 2', () => {
  const convert = eventsProjection.conversions?.[2];
  const replayed = foldedDocument(eventsProjection, [
    eventRecord,
    deliveryRecord(succeeded({ cycle: 1, replayId: testIdentifier('rpl') }), 0),
  ]);

  it('gets the keys of its replays', () => {
    const earlier = replayed && { ...replayed, replayed: [`${testIdentifier('rpl')}/done`] };
    expect([earlier && convert?.(earlier, {}), replayed?.replayed?.length]).to.deep.equal([[replayed], 2]);
  });

  it('stays unchanged without a replay', () => {
    const earlier = foldedDocument(eventsProjection, [eventRecord]);
    expect(earlier && convert?.(earlier, {})).to.deep.equal([earlier]);
  });
});

describe('eventsProjection: a document of version 3', () => {
  const convert = eventsProjection.conversions?.[3];
  const converted = (...records: readonly RawRecord[]) => {
    const document = foldedDocument(eventsProjection, records);
    const earlier = document && {
      ...document,
      home: -1,
      deliveries: document.deliveries.map(({ last: _last, ...delivery }) => delivery),
    };
    return { document: document && withoutTimes(document), after: earlier && convert?.(earlier, {}) };
  };
  /** The document without the times of its last attempts, which a conversion cannot derive. */
  const withoutTimes = (document: EventDocument): EventDocument => ({
    ...document,
    deliveries: document.deliveries.map((delivery) =>
      delivery.last === undefined ? delivery : { ...delivery, last: { ...delivery.last, at: null } },
    ),
  });

  it('gets the partition of its event as its home partition', () => {
    const { document, after } = converted(deliveryRecord(succeeded(), 0), eventRecord);
    expect([after, document?.home]).to.deep.equal([[document], 1]);
  });

  it('gets the partition of its deliveries as its home partition if the record of its event is missing', () => {
    const { document, after } = converted(deliveryRecord(succeeded(), 0));
    expect([after, document?.home]).to.deep.equal([[document], 2]);
  });

  it('gets the last attempts of its deliveries, with the status code alone if a delivery was canceled', () => {
    const { after } = converted(
      ...[eventRecord, deliveryRecord(toWebhook(5), 0), deliveryRecord(toWebhook(6, failed), 1)],
      ...[deliveryRecord(failed(), 2), deliveryRecord(canceled(), 3)],
    );
    expect(after?.flatMap(({ deliveries }) => deliveries.map(({ last }) => last))).to.deep.equal([
      { at: null, statusCode: 200, errorCode: null },
      { at: null, statusCode: 500, errorCode: 'http_status' },
      { at: null, statusCode: 500, errorCode: null },
    ]);
  });

  it('gets no last attempt of an earlier cycle, whose status code it no longer contains', () => {
    const { after } = converted(eventRecord, deliveryRecord(failed(), 0), deliveryRecord(requested(1), 1));
    expect(after?.map(({ deliveries }) => deliveries.map(({ last }) => last))).to.deep.equal([[undefined]]);
  });
});

describe('eventsProjection: the webhooks that match an event', () => {
  const [one, other] = [testIdentifier('wh', 1), testIdentifier('wh', 2)];
  const record = (waits: Parameters<typeof matched>[0], offset: number) => {
    const fact = matched(waits);
    return rawRecord(deliveryRecords.encode(fact, fact.context, 2), { partition: 2, offset });
  };
  const folded = (...records: readonly RawRecord[]) => foldedDocument(eventsProjection, records);
  const statuses = (document: EventDocument | undefined) =>
    document?.deliveries.map(({ webhookId, status, parked }) => [webhookId, status, parked?.reason]);

  it('get a pending delivery each, parked if it waits', () => {
    expect(statuses(folded(record({ [one]: null, [other]: 'busy' }, 0)))).to.deep.equal([
      [one, 'pending', undefined],
      [other, 'pending', 'busy'],
    ]);
  });

  it('are marked as the complete set', () => {
    expect([folded(record({}, 0))?.matched, folded(eventRecord)?.matched]).to.deep.equal([true, undefined]);
  });

  it('keep the states of deliveries that have a fact', () => {
    const document = folded(deliveryRecord(toWebhook(1), 0), record({ [one]: null, [other]: null }, 1));
    expect(statuses(document)).to.deep.equal([
      [one, 'delivered', undefined],
      [other, 'pending', undefined],
    ]);
  });

  it('are parked by a second record too', () => {
    const document = folded(record({ [one]: null }, 0), record({ [one]: 'busy' }, 1));
    expect(statuses(document)).to.deep.equal([[one, 'pending', 'busy']]);
  });
});

describe('eventsProjection: an event', () => {
  const document = foldedDocument(eventsProjection, [eventRecord]);

  it('contains the fields of its record, and no deliveries', () => {
    expect(document && without(document, ['data'])).to.deep.equal({
      _id: testEventId,
      accountId: testIdentifier('acct'),
      mode: 'live',
      type: 'order.number_1',
      created: start,
      onlyWebhookId: null,
      source: { partition: 1, offset: 10, appended: start.getTime() },
      home: 1,
      deliveries: [],
      positions: { 'events/1': 10 },
    });
  });

  it('contains its data byte for byte', () => {
    expect(document?.data && fromBinary(document.data)).to.deep.equal(event.data);
  });

  it('contains the attributes of a CloudEvent', () => {
    const attributes = { id: '1', source: '/shops', traceparent: '00-1' };
    const record = rawRecord(encodeEvent({ ...event, attributes }));
    expect(foldedDocument(eventsProjection, [record])?.attributes).to.deep.equal(attributes);
  });

  it('contains the webhook of a test delivery', () => {
    const record = rawRecord(encodeEvent({ ...event, onlyWebhookId: testIdentifier('wh') }));

    expect(foldedDocument(eventsProjection, [record])).to.include({ onlyWebhookId: testIdentifier('wh') });
  });

  it('keeps its data when deliveries follow', () => {
    const after = foldedDocument(eventsProjection, [eventRecord, deliveryRecord(succeeded(), 0)]);

    expect(after?.data).to.deep.equal(document?.data);
  });
});

describe('eventsProjection: deliveries', () => {
  it('may precede the event', () => {
    expect(foldedDocument(eventsProjection, [deliveryRecord(succeeded(), 3)])).to.deep.equal({
      _id: testEventId,
      accountId: testIdentifier('acct'),
      home: 2,
      deliveries: deliveriesAfter(succeeded()),
      positions: { 'deliveries/2': 3 },
    });
  });

  it('stay when the event follows', () => {
    const after = foldedDocument(eventsProjection, [deliveryRecord(succeeded(), 3), eventRecord]);

    expect(after).to.deep.equal(
      foldedDocument(eventsProjection, [eventRecord, deliveryRecord(succeeded(), 3)]),
    );
  });

  it('are one for each webhook, in the order of their first records', () => {
    const deliveries = deliveriesAfter(toWebhook(2), toWebhook(1), toWebhook(2, failed), toWebhook(3));

    expect(deliveries?.map(({ webhookId }) => webhookId)).to.deep.equal(
      [2, 1, 3].map((number) => testIdentifier('wh', number)),
    );
  });

  it('do not change deliveries to other webhooks', () => {
    const [first] = deliveriesAfter(toWebhook(1)) ?? [];
    const [same] = deliveriesAfter(toWebhook(1), toWebhook(2, failed)) ?? [];

    expect(same).to.deep.equal(first);
  });

  it('follow all facts of a delivery', () => {
    const statuses = [
      deferred(secondsLater(30)),
      failed({ number: 1 }),
      canceled(),
      requested(1),
      succeeded({ cycle: 1, number: 2 }),
    ].map((_, index, facts) => deliveriesAfter(...facts.slice(0, index + 1))?.[0]?.status);

    expect(statuses).to.deep.equal(['pending', 'retrying', 'canceled', 'pending', 'delivered']);
  });
});

describe('eventsProjection: an event that the log contains twice', () => {
  /** The same id at several offsets of the log, each with other content. */
  const anyPlace = fc.record({ partition: fc.nat(3), offset: fc.nat(9), timestamp: fc.nat(3) });
  const anyPlaces = fc.uniqueArray(anyPlace, {
    selector: ({ partition, offset }) => `${partition}/${offset}`,
    minLength: 2,
    maxLength: 6,
  });

  function partitionsOf(
    places: readonly Pick<RawRecord, 'partition' | 'offset' | 'timestamp'>[],
  ): RawRecord[][] {
    const records = places
      .map((place) => ({
        ...rawRecord(encodeEvent({ ...event, type: `at_${place.partition}_${place.offset}` }), place),
        timestamp: place.timestamp,
      }))
      .sort((left, right) => left.offset - right.offset);
    return [0, 1, 2, 3].map((partition) => records.filter((record) => record.partition === partition));
  }

  it('results in the same document in whichever order its partitions are read', () => {
    fc.assert(
      fc.property(anyPlaces.map(partitionsOf), interleavedFetches, (partitions, plan) => {
        expect(foldAll(eventsProjection, batchesOf(partitions, plan))).to.deep.equal(
          foldAll(eventsProjection, batchesOf(partitions, [])),
        );
      }),
    );
  });

  it('is the one that was appended first; at the same time, the one of the lowest partition', () => {
    fc.assert(
      fc.property(anyPlaces, (places) => {
        const [first] = [...places].sort(
          (left, right) =>
            left.timestamp - right.timestamp ||
            left.partition - right.partition ||
            left.offset - right.offset,
        );
        const documents = foldAll(eventsProjection, batchesOf(partitionsOf(places), []));

        const { type, home } = documents.get(testEventId) ?? {};
        expect([type, home]).to.deep.equal([
          `at_${String(first?.partition)}_${String(first?.offset)}`,
          first?.partition,
        ]);
      }),
    );
  });

  it('has the data that belongs to its other fields', () => {
    const other = { ...event, type: 'other', data: Buffer.from('{"other":true}') };
    const first = rawRecord(encodeEvent(other), { partition: 0, offset: 99 });
    const document: EventDocument | undefined = foldedDocument(eventsProjection, [eventRecord, first]);

    expect([document?.type, document?.data && fromBinary(document.data).toString()]).to.deep.equal([
      'other',
      '{"other":true}',
    ]);
  });
});

describe('eventsProjection: replays', () => {
  const replayId = testIdentifier('rpl');

  it('are keys of the event alone and with their outcomes, for all its webhooks', () => {
    const document = foldedDocument(eventsProjection, [
      deliveryRecord(succeeded({ webhookId: testIdentifier('wh', 1), cycle: 1, replayId }), 0),
      deliveryRecord(succeeded({ webhookId: testIdentifier('wh', 2) }), 1),
      deliveryRecord(
        failed({ webhookId: testIdentifier('wh', 3), cycle: 1, replayId: testIdentifier('rpl', 2) }),
        2,
      ),
    ]);

    expect(document?.replayed).to.deep.equal([
      replayId,
      `${replayId}/done`,
      testIdentifier('rpl', 2),
      `${testIdentifier('rpl', 2)}/retrying`,
    ]);
  });

  it('have no keys without a replay', () => {
    expect(foldedDocument(eventsProjection, [deliveryRecord(succeeded(), 0)])).not.to.have.property(
      'replayed',
    );
  });
});
