import { expect } from 'chai';
import fc from 'fast-check';

import {
  eventJson,
  eventListJson,
  type PublicEvent,
} from '../../../../api/resources/events/representation.js';
import { eventListSchema, eventSchema } from '../../../../api/resources/events/routes.js';
import type { Delivery } from '../../../../shared/domain/deliveries/delivery.js';
import { itHolds } from '../../../support/itHolds.js';

const delivery: Delivery = {
  webhookId: 'wh_1',
  status: 'retrying',
  statusCode: 500,
  deliveredAt: null,
  attemptCount: 2,
  nextAttemptAt: new Date('2026-11-20T11:07:03.456Z'),
  error: { code: 'http_status', message: 'answered 500' },
  cycle: 1,
  epoch: 0,
  replayId: null,
  requestId: null,
  firstNumber: 1,
  lastNumber: 2,
};

function eventWith(data: string, deliveries: readonly Delivery[] = []): PublicEvent {
  const created = new Date('2026-11-20T11:02:03.456Z');
  return {
    ...{ id: 'evt_1', type: 'order.completed', created, data: Buffer.from(data), deliveries, mode: 'live' },
    tenantId: null,
    deliveriesComplete: true,
    validation: null,
  };
}

describe('the representation of an event', () => {
  it('has the fields of an event in a fixed order', () => {
    expect(eventJson(eventWith('{}')).toString()).to.equal(
      '{"id":"evt_1","type":"order.completed","created":"2026-11-20T11:02:03.456Z","tenantId":null,"data":{},"deliveries":[],"deliveriesComplete":true,"validation":null,"mode":"live"}',
    );
  });

  it('has data byte for byte', () => {
    const data = '{ "b": 1.10, "a": 12345678901234567890,\t"b": "\\u00e9" }';
    expect(eventJson(eventWith(data)).toString()).to.contain(`"data":${data},"deliveries"`);
  });

  it('has a delivery with times and without its cycle', () => {
    const shown = eventSchema.parse(JSON.parse(eventJson(eventWith('{}', [delivery])).toString()));
    expect(shown.deliveries).to.deep.equal([
      {
        webhookId: 'wh_1',
        status: 'retrying',
        statusCode: 500,
        deliveredAt: null,
        attemptCount: 2,
        nextAttemptAt: '2026-11-20T11:07:03.456Z',
        error: { code: 'http_status', message: 'answered 500' },
      },
    ]);
  });

  itHolds(
    'is valid JSON for any list of events',
    [fc.array(fc.dictionary(fc.string(), fc.jsonValue())), fc.boolean()],
    (payloads, hasMore) => {
      const items = payloads.map((data) => eventWith(JSON.stringify(data)));
      const list = eventListSchema.parse(JSON.parse(eventListJson({ items, hasMore }).toString()));
      expect(list.data.length).to.equal(payloads.length);
    },
  );

  it('states whether a list has more pages', () => {
    expect(eventListJson({ items: [], hasMore: true }).toString()).to.equal('{"data":[],"hasMore":true}');
  });
});
