import { expect } from 'chai';
import fc from 'fast-check';

import { dataBytes, eventBody, sequenceIn } from '../../../bench/load/eventBody.js';

const anySequence = fc.integer({ min: 0, max: 1e12 });

describe('the body of a benchmark event', () => {
  it('has data of half a kibibyte, whatever its number', () => {
    fc.assert(
      fc.property(anySequence, (sequence) => {
        const { data } = JSON.parse(eventBody(sequence)) as { data: unknown };
        expect(Buffer.byteLength(JSON.stringify(data))).to.equal(dataBytes);
      }),
    );
  });

  it('is of the type that is asked for', () => {
    expect(JSON.parse(eventBody(1, 'neighbour.busy'))).to.have.property('type', 'neighbour.busy');
  });

  it('is known again by its number, wherever its data stands', () => {
    fc.assert(
      fc.property(anySequence, (sequence) => {
        const delivered = `{"id":"evt_1","timestamp":"2026-11-20T11:02:03.456Z",${eventBody(sequence).slice(1)}`;
        expect(sequenceIn(Buffer.from(delivered))).to.equal(sequence);
      }),
    );
  });

  it('is not taken for another sender’s', () => {
    expect(sequenceIn(Buffer.from('{"type":"order.completed","data":{}}'))).to.equal(null);
  });
});
