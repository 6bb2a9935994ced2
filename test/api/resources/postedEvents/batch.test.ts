import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import { openAccount, type TestAccount } from '../../support/accounts.js';
import { batchPath, idsOf, postBatch, resultsOf, summaryOf } from '../../support/batches.js';
import { refusalOf } from '../../support/client.js';
import { eventIdsOf } from '../../support/events.js';
import { openLogReader, type LogReader } from '../../support/records.js';

const json = { 'content-type': 'application/json' };
const event = { type: 'order.completed', data: { amount: 1 } };

/** A batch whose only event has this text. */
function batchOf(text: string): string {
  return `{"events":[${text}]}`;
}

/** An event whose `data` has exactly this number of bytes. */
function eventOf(bytes: number): string {
  return `{"type":"a","data":{"a":"${'x'.repeat(bytes - '{"a":""}'.length)}"}}`;
}

describe('a batch of events', () => {
  let account: TestAccount;
  let log: LogReader;
  before(async () => {
    account = await openAccount();
    log = await openLogReader(account.service, ['events']);
  });

  const post = (body: string | Buffer, headers = json) => account.live.post(batchPath, body, headers);
  const summaryFor = async (body: string) => summaryOf(resultsOf(await post(body)));

  it('is recorded in the order of the request, and listed', async () => {
    const { live } = await openAccount(account.service);
    const types = Array.from({ length: 120 }, (_, number) => `order.number_${number}`);
    const results = await postBatch(
      live,
      types.map((type) => ({ type, data: {} })),
    );
    const listed = await eventIdsOf(live, '?limit=100', 100);
    expect([summaryOf(results), listed.every((id) => idsOf(results).includes(id))]).to.deep.equal([
      types,
      true,
    ]);
  });

  it('appends one record for each event, with its type and its data', async () => {
    const marker = randomUUID();
    const events = [1, 2, 3].map((n) => ({ type: `order.n${n}`, data: { marker, n } }));
    const ids = idsOf(await postBatch(account.live, events));
    const records = await log.recordsWith('events', marker);
    const found = new Map(records.map(({ id, type, value }) => [id, [type, value]]));
    expect(ids.map((id) => found.get(id))).to.deep.equal(
      events.map(({ type, data }) => [type, JSON.stringify(data)]),
    );
  });

  it('of a test key contains test events', async () => {
    const [result] = await postBatch(account.test, [event]);
    expect(result?.event?.mode).to.equal('test');
  });

  it('returns data byte for byte', async () => {
    const data = ['{"a" : 1.10, "a":[ ]}', '{"a":"\\ud800 \\u00e9 é 😀"}', '{"a":12345678901234567890}'];
    const { text } = await post(batchOf(data.map((each) => `{"type":"a","data":${each}}`).join(' , ')));
    for (const each of data) {
      expect(text).to.contain(`"data":${each},"deliveries":[]`);
    }
  });

  it('rejects each invalid event, and records the others', async () => {
    const events = [
      event,
      { type: 'a..b', data: {} },
      { data: {} },
      { type: 'a' },
      { type: 'a', data: [] },
      { type: 'a', data: {}, tenantId: '*' },
      { type: 'a', data: {}, orderingKey: 'one' },
      { type: 'a', data: {}, idempotencyKey: '' },
      { type: 'a', data: {}, idempotencyKey: 1 },
      'event',
      event,
    ];
    expect(summaryOf(await postBatch(account.live, events))).to.deep.equal([
      'order.completed',
      'event_type_invalid events[1].type',
      'parameter_missing events[2].type',
      'parameter_missing events[3].data',
      'parameter_invalid events[4].data',
      'parameter_invalid events[5].tenantId',
      'parameter_unknown events[6].orderingKey',
      'parameter_invalid events[7].idempotencyKey',
      'parameter_invalid events[8].idempotencyKey',
      'parameter_invalid events[9]',
      'order.completed',
    ]);
  });

  it('rejects an event that repeats a field, or is nested too deeply', async () => {
    const deep = `{"type":"a","data":{"a":${'['.repeat(1000)}${']'.repeat(1000)}}}`;
    expect(await summaryFor(batchOf(`{"type":"a","type":"b","data":{}},${deep}`))).to.deep.equal([
      'json_invalid events[0]',
      'json_invalid events[1]',
    ]);
  });

  it('rejects an event with more than 256 KiB of data, and records one with as much', async () => {
    const most = 256 * 1024;
    const body = batchOf([eventOf(most), eventOf(most + 1), eventOf(most + 100_000)].join(','));
    expect(await summaryFor(body)).to.deep.equal([
      'a',
      'payload_too_large events[1].data',
      'payload_too_large events[2].data',
    ]);
  });

  it('may contain 500 events and 4 MiB', async () => {
    const events = Array.from({ length: 500 }, () => eventOf(8000));
    const body = Buffer.from(batchOf(events.join(',')));
    const full = Buffer.concat([body, Buffer.alloc(4 * 1024 * 1024 - body.length, ' ')]);
    const summary = summaryOf(resultsOf(await post(full)));
    expect([summary.length, new Set(summary)]).to.deep.equal([500, new Set(['a'])]);
  });

  it('records text beyond ASCII that exceeds a request of the log in bytes', async () => {
    const marker = randomUUID();
    const data = { marker, text: '€'.repeat(2500) };
    const events = Array.from({ length: 500 }, () => ({ type: 'a', data }));
    const summary = summaryOf(await postBatch(account.live, events));
    const records = await log.recordsWith('events', marker);
    expect([new Set(summary), records.length]).to.deep.equal([new Set(['a']), 500]);
  });

  const refusals: readonly (readonly [what: string, body: string | Buffer, refusal: string])[] = [
    ['without events', '{}', '400 parameter_missing events'],
    ['with no event', '{"events":[]}', '400 parameter_invalid events'],
    ['with an object of events', '{"events":{}}', '400 parameter_invalid events'],
    ['with events of null', '{"events":null}', '400 parameter_invalid events'],
    ['with another field', '{"events":[{"type":"a","data":{}}],"more":1}', '400 parameter_unknown more'],
    ['with another list', '{"more":[1],"events":[{"type":"a","data":{}}]}', '400 parameter_unknown more'],
    ['that repeats its events', '{"events":[1],"events":[2]}', '400 json_invalid'],
    ['with 501 events', batchOf(Array(501).fill('{}').join(',')), '400 parameter_invalid events'],
    ['with a million events', batchOf(Array(1_000_000).fill('1').join(',')), '400 parameter_invalid events'],
    ['that is not JSON', '{"events":[}', '400 json_invalid'],
    [
      'with an event that is not JSON',
      batchOf('{"type":"a","data":{}},{"type":"a","data":{}'),
      '400 json_invalid',
    ],
    ['that is no object', '[]', '400 parameter_invalid'],
    ['with invalid UTF-8', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]), '400 json_invalid'],
    ['of more than 4 MiB', ' '.repeat(4 * 1024 * 1024 + 1), '413 payload_too_large'],
  ];
  it('is rejected as a whole if it is no list of events', async () => {
    for (const [what, body, refusal] of refusals) {
      expect(refusalOf(await post(body)), what).to.equal(refusal);
    }
  });

  it('is rejected with another content type', async () => {
    expect(refusalOf(await post('{}', { 'content-type': 'text/plain' }))).to.equal(
      '415 unsupported_media_type',
    );
  });
});
