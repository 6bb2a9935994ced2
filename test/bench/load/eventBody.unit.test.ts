import { expect } from 'chai';
import fc from 'fast-check';

import { dataBytes, eventBody, sequenceIn } from '../../../bench/load/eventBody.js';

const anySequence = fc.integer({ min: 0, max: 1e12 });

describe('the body of a benchmark event', () => {
  it('has half a kibibyte of data for every sequence number', () => {
    fc.assert(
      fc.property(anySequence, (sequence) => {
        const { data } = JSON.parse(eventBody(sequence)) as { data: unknown };
        expect(Buffer.byteLength(JSON.stringify(data))).to.equal(dataBytes);
      }),
    );
  });

  it('has the requested type', () => {
    expect(JSON.parse(eventBody(1, 'neighbour.busy'))).to.have.property('type', 'neighbour.busy');
  });

  it('is identified by its sequence number in a delivery', () => {
    fc.assert(
      fc.property(anySequence, (sequence) => {
        const delivered = `{"id":"evt_1","timestamp":"2026-11-20T11:02:03.456Z",${eventBody(sequence).slice(1)}`;
        expect(sequenceIn(Buffer.from(delivered))).to.equal(sequence);
      }),
    );
  });

  it('is distinguished from the body of another sender', () => {
    expect(sequenceIn(Buffer.from('{"type":"order.completed","data":{}}'))).to.equal(null);
  });
});
