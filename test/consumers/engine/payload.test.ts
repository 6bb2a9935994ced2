import { expect } from 'chai';
import fc from 'fast-check';

import { payloadOf } from '../../../consumers/engine/executeAttempt.js';
import { readJsonObject } from '../../../shared/domain/events/jsonText.js';
import { anyEvent } from '../../support/arbitraries.js';
import { testIdentifier } from '../../support/facts.js';

const data = '{ "amount": 1.10, "n": 9007199254740993, "a":1, "a":2, "é":"\\u00e9" }';

describe('payloadOf', () => {
  it('is id, type, timestamp and data, in this order', () => {
    const payload = payloadOf({
      id: testIdentifier('evt'),
      type: 'order.completed',
      created: new Date('2026-11-20T11:02:03.456Z'),
      data: Buffer.from(data),
    });

    expect(payload.toString()).to.equal(
      `{"id":"${testIdentifier('evt')}","type":"order.completed","timestamp":"2026-11-20T11:02:03.456Z","data":${data}}`,
    );
  });

  it('has the data of any event byte for byte', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const payload = payloadOf(event);
        const reading = readJsonObject(payload, 1001);
        const span = reading.valid ? reading.text.members.get('data') : undefined;

        expect(payload.subarray(span?.start, span?.end)).to.deep.equal(event.data);
      }),
    );
  });

  it('is a JSON object with what the event says, whatever it is', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        expect(JSON.parse(payloadOf(event).toString())).to.deep.equal({
          id: event.id,
          type: event.type,
          timestamp: event.created.toISOString(),
          data: JSON.parse(event.data.toString()) as unknown,
        });
      }),
    );
  });
});
