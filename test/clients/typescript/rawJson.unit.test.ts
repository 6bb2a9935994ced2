import { expect } from 'chai';
import fc from 'fast-check';

import { decodeJson } from '../../../clients/typescript/src/json/decodeJson.js';
import { encodeJson } from '../../../clients/typescript/src/json/encodeJson.js';
import { RawJson, type CreateEventRequest } from '../../../clients/typescript/src/index.js';

interface Order {
  readonly orderId: string;
  readonly amount: bigint;
}

/** JSON texts as another program may write them: with blanks, and with numbers that JavaScript would round. */
const jsonText = fc
  .tuple(fc.json(), fc.constantFrom('', ' ', '\n\t'), fc.bigInt())
  .map(([text, blank, number]) => `{${blank}"n"${blank}:${number}.10,${blank}"v":${blank}${text}${blank}}`);

describe('raw JSON', () => {
  it('is sent as it is, wherever it is', () => {
    fc.assert(
      fc.property(jsonText, jsonText, fc.json(), (first, second, other) => {
        const value = {
          a: new RawJson(first),
          list: [new RawJson(second)],
          other: JSON.parse(other) as unknown,
        };
        expect(encodeJson(value)).to.equal(
          `{"a":${first},"list":[${second}],"other":${JSON.stringify(JSON.parse(other))}}`,
        );
      }),
    );
  });

  it('is not needed for data that has an interface, or a bigint', () => {
    const data: Order = { orderId: 'ord_1', amount: 12345678901234567890n };
    const request: CreateEventRequest = { type: 'order.completed', data };
    expect(encodeJson(request)).to.equal(
      '{"type":"order.completed","data":{"orderId":"ord_1","amount":12345678901234567890}}',
    );
  });

  it('is received as it was sent, in any of several items', () => {
    const items = fc.array(fc.record({ before: fc.json(), data: jsonText, after: fc.json() }), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(items, fc.constantFrom('', ' ', '\r\n'), (sent, blank) => {
        const texts = sent.map(
          ({ before, data, after }) =>
            `{"data":${before},${blank}"ev\\u0065nt"${blank}:{${blank}"data":${blank}${data}${blank}},"after":${after}}`,
        );
        const text = `${blank}{"data":[${blank}${texts.join(`${blank},`)}],"hasMore":false}${blank}`;
        const expected = {
          data: sent.map(({ before, data, after }) => ({
            data: JSON.parse(before) as unknown,
            event: { data: new RawJson(data) },
            after: JSON.parse(after) as unknown,
          })),
          hasMore: false,
        };
        expect(decodeJson(text, [['data', '*', 'event', 'data']])).to.deep.equal(expected);
      }),
    );
  });

  it('writes all digits of a bigint', () => {
    expect(encodeJson({ n: [12345678901234567890n] })).to.equal('{"n":[12345678901234567890]}');
  });

  it('cannot add fields to the object around it', () => {
    expect(() => new RawJson('{}, "tenantId": "other"')).to.throw(TypeError);
  });
});
