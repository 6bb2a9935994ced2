import { expect } from 'chai';

import {
  bodyOfEvent,
  dataOfFirst,
  faultsOfEvent,
  formattedJson,
  knownTypes,
} from '../../../dashboard/integration/eventInput.js';

describe('an event that a user enters in the dashboard', () => {
  it('is posted with every digit of its numbers', () => {
    const data = ' {"amount": 12345678901234567890.10}\n';
    expect(bodyOfEvent({ type: ' order.completed ', data })).to.equal(
      '{"type":"order.completed","data":{"amount": 12345678901234567890.10}}',
    );
    expect(bodyOfEvent({ type: 'a', data: '{}' }, 'customer-42')).to.equal(
      '{"type":"a","tenantId":"customer-42","data":{}}',
    );
  });

  for (const [data, isValid] of [
    ['{}', true],
    [' {"a": [1]} ', true],
    ['[]', false],
    ['null', false],
    ['1', false],
    ['{"a":}', false],
    ['', false],
  ] as const) {
    it(`has ${isValid ? 'valid' : 'invalid'} data: ${JSON.stringify(data)}`, () => {
      expect(faultsOfEvent({ type: 'order.completed', data }).data === null).to.equal(isValid);
    });
  }

  it('has an invalid type, if the API would reject the type', () => {
    expect(['', 'a b', 'order.*'].map((type) => faultsOfEvent({ type, data: '{}' }).type)).to.not.include(
      null,
    );
  });

  it('begins with the formatted data of an earlier event', () => {
    const list =
      '{"data":[{"id":"evt_1","data":{"n":1.00,"list":[1,{}]}},{"id":"evt_2","data":{}}],"hasMore":true}';
    expect(dataOfFirst(list)).to.equal('{\n  "n": 1.00,\n  "list": [\n    1,\n    {}\n  ]\n}');
    expect(dataOfFirst('{"data":[],"hasMore":false}')).to.equal(null);
    expect(formattedJson('{}')).to.equal('{}');
  });

  it('offers the types of subscriptions without patterns', () => {
    expect(knownTypes(['order.completed', '*', 'order.*', 'a', 'order.completed'])).to.deep.equal([
      'a',
      'order.completed',
    ]);
  });
});
