import { expect } from 'chai';
import fc from 'fast-check';

import { dataOf, readSetValue } from '../../../../cli/developer/trigger/eventData.js';
import { withValueAt } from '../../../../cli/developer/trigger/jsonEdit.js';

function set(text: string, ...assignments: readonly string[]): string {
  const values = assignments.map((assignment) => readSetValue(assignment) ?? expect.fail(assignment));
  return dataOf(Buffer.from(text), values).toString();
}

describe('a value that --set sets', () => {
  it('leaves all other bytes as they are', () => {
    const text = '{ "id": 12345678901234567890, "amount" : 1.00,\n"items":[{"price":1e2},2 ]}';
    expect(set(text, 'data.amount=4200', 'data.items.0.price=7.50', 'data.note=hello')).to.equal(
      '{ "id": 12345678901234567890, "amount" : 4200,\n"items":[{"price":7.50},2 ],"note":"hello"}',
    );
  });

  it('adds the objects on its way, and an element behind the last one of a list', () => {
    expect(set('{}', 'data.customer.name=Ann', 'data.customer.tags=[]', 'data.customer.tags.0=new')).to.equal(
      '{"customer":{"name":"Ann","tags":["new"]}}',
    );
  });

  it('is read back at its path', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()),
        fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
        fc.jsonValue(),
        (data, name, value) => {
          const changed = withValueAt(Buffer.from(JSON.stringify(data)), [name], JSON.stringify(value));
          const expected: unknown = JSON.parse(JSON.stringify({ ...data, [name]: value }));
          expect(JSON.parse(changed.toString())).to.deep.equal(expected);
        },
      ),
    );
  });

  it('is rejected if its path does not fit', () => {
    expect(() => set('{"amount":1}', 'data.amount.cents=2')).to.throw('data.amount is no object');
    expect(() => set('{"items":[]}', 'data.items.3=2')).to.throw('data.items has 0 elements');
    expect(() => set('[]', 'data.items=2')).to.throw('must be a JSON object');
    expect([readSetValue('amount=1'), readSetValue('data.amount'), readSetValue('data=1')]).to.deep.equal([
      null,
      null,
      null,
    ]);
  });
});
