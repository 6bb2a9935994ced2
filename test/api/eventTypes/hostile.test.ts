import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import { eventually } from '../../support/eventually.js';
import { openAccount, type TestAccount } from '../support/accounts.js';
import { refusalOf, type Response } from '../support/client.js';

/** Schemas whose compilation would take very long without limits. The tests of the compiler have all limits. */
const hostileSchemas: Readonly<Record<string, unknown>> = {
  'an exponential `anyOf` in place': {
    $defs: Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => {
        const next = index === 29 ? {} : { $ref: `#/$defs/n${String(index + 1)}` };
        return [`n${String(index)}`, { anyOf: [next, next] }];
      }),
    ),
    $ref: '#/$defs/n0',
  },
  'a `$ref` of another host': { $ref: 'https://example.com/schema' },
  'nested repetitions of a pattern': { pattern: '((x{0,30}){0,30}){0,30}' },
  'a pointer through 62 levels': { $ref: `#${'/not'.repeat(62)}` },
};

/** Accepted schemas, and data whose check would take very long without a budget. The answer is that of `reject`. */
const hostileData: Readonly<Record<string, readonly [schema: unknown, data: unknown, answer: string]>> = {
  'a text for a catastrophic pattern': [
    { properties: { text: { pattern: '^(a+)+$' } } },
    { text: `${'a'.repeat(20_000)}b` },
    '400 event_data_invalid data.text',
  ],
  '10,000 items of a unique list': [
    { properties: { list: { uniqueItems: true } } },
    { list: Array.from({ length: 10_000 }, (_, index) => index) },
    '201',
  ],
  'names such as `__proto__`': [
    { additionalProperties: false },
    JSON.parse('{"__proto__":1}') as unknown,
    '400 event_data_invalid data.__proto__',
  ],
  'data with 900 levels': [
    { $ref: '#/$defs/a', $defs: { a: { properties: { a: { $ref: '#/$defs/a' } } } } },
    deep(900),
    '201',
  ],
};

function deep(levels: number): unknown {
  return levels === 0 ? {} : { a: deep(levels - 1) };
}

/** On a busy machine a check may wait too long for its worker. Clients repeat such a request. */
function answerOf(request: () => Promise<Response>): Promise<Response> {
  return eventually('an answer other than 503', async () => {
    const response = await request();
    return response.status === 503 ? null : response;
  });
}

describe('hostile schemas and data', () => {
  let account: TestAccount;
  let neighbor: TestAccount;
  before(async () => {
    account = await openAccount();
    neighbor = await openAccount();
  });

  /** Runs work while another account posts events, and returns the work's result. */
  const besideNeighbor = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const [result, posted] = await Promise.all([
      work(),
      neighbor.live.postJson('/v1/events', { type: 'order.completed', data: {} }),
    ]);
    expect(posted.status).to.equal(201);
    return result;
  };

  it('are rejected in a PUT of a hostile schema', async () => {
    for (const [title, schema] of Object.entries(hostileSchemas)) {
      const body = JSON.stringify({ schema, validation: 'reject' });
      const response = await besideNeighbor(() => account.live.put('/v1/event-types/order.hostile', body));
      expect(refusalOf(response), title).to.match(/^400 schema_invalid schema/);
    }
  });

  it('get an answer for data of a hostile check', async () => {
    for (const [title, [schema, data, answer]] of Object.entries(hostileData)) {
      const type = `order.n${randomUUID().replaceAll('-', '')}`;
      const put = await answerOf(() =>
        account.live.put(`/v1/event-types/${type}`, JSON.stringify({ schema, validation: 'reject' })),
      );
      expect(put.status, put.text).to.equal(201);
      const response = await besideNeighbor(() =>
        answerOf(() => account.live.postJson('/v1/events', { type, data })),
      );
      expect(response.status === 201 ? '201' : refusalOf(response), title).to.equal(answer);
    }
  });
});
