import { randomUUID } from 'node:crypto';

import { expect } from 'chai';
import { CloudEvent, HTTP, type Message } from 'cloudevents';
import { Webhook } from 'standardwebhooks';

import { eventBatchSchema } from '../../../../api/resources/postedEvents/postRoutes.js';
import { eventSchema } from '../../../../api/resources/events/routes.js';
import { eventually } from '../../../support/eventually.js';
import { startReceiver } from '../../../support/receiver.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { batchPath, idsOf, resultsOf, summaryOf } from '../../support/batches.js';
import { errorOf, read, refusalOf } from '../../support/client.js';
import { openLogReader, type LogReader } from '../../support/records.js';
import { createWebhook } from '../../support/webhooks.js';

const path = '/v1/events';
const structured = { 'content-type': 'application/cloudevents+json' };
const batched = { 'content-type': 'application/cloudevents-batch+json' };
const binary = { 'content-type': 'application/json', 'ce-specversion': '1.0' };

/** The fields of a valid event. */
function fields(changes: Readonly<Record<string, unknown>> = {}) {
  return {
    specversion: '1.0',
    id: randomUUID(),
    source: '/shops/berlin',
    type: 'order.completed',
    data: { amount: 1 },
    ...changes,
  };
}

/** The attributes of a valid event as headers, in binary mode. */
function headersOf(changes: Readonly<Record<string, string>> = {}) {
  return {
    ...binary,
    'ce-id': randomUUID(),
    'ce-source': '/shops/berlin',
    'ce-type': 'order.completed',
    ...changes,
  };
}

describe('a CloudEvent', () => {
  let account: TestAccount;
  let log: LogReader;
  before(async () => {
    account = await openAccount();
    log = await openLogReader(account.service, ['events']);
  });

  const post = (body: unknown, headers: Readonly<Record<string, string>> = structured, at = path) =>
    account.live.post(at, typeof body === 'string' ? body : JSON.stringify(body), headers);

  const attributesOf = async (id: string) => {
    const [record] = await log.recordsOf('events', id);
    return record?.posted;
  };

  const full = () => ({
    id: randomUUID(),
    source: 'https://example.com/shops?city=berlin#1',
    type: 'order.completed',
    time: '2026-11-21T06:46:41.388Z',
    subject: 'Euro € "quoted" 100% 😀',
    dataschema: 'https://example.com/schema.json',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    data: { amount: 42, text: '€' },
  });

  describe('of the JavaScript SDK', () => {
    const send = (message: Message, at = path) =>
      post(String(message.body), message.headers as Record<string, string>, at);
    const textOfAll = ({ data: _, type: __, ...attributes }: ReturnType<typeof full>) => attributes;

    it('is recorded with its attributes in structured mode', async () => {
      const given = full();
      const event = read(await send(HTTP.structured(new CloudEvent(given))), eventSchema);
      expect([event.type, event.data, await attributesOf(event.id)]).to.deep.equal([
        given.type,
        given.data,
        textOfAll(given),
      ]);
    });

    it('is recorded with its attributes in binary mode', async () => {
      const { subject: _, ...given } = full();
      const event = read(await send(HTTP.binary(new CloudEvent(given))), eventSchema);
      const { data, type, ...attributes } = given;
      expect([event.type, event.data, await attributesOf(event.id)]).to.deep.equal([
        type,
        data,
        { ...attributes, datacontenttype: 'application/json; charset=utf-8' },
      ]);
    });

    it('is recorded in a batch', async () => {
      const events = [full(), full(), full()];
      const body = `[${events.map((event) => new CloudEvent(event).toString()).join(',')}]`;
      const results = resultsOf(await post(body, batched, batchPath));
      const ids = idsOf(results);
      const recorded = await Promise.all(ids.map(attributesOf));
      expect(recorded.map((attributes) => attributes?.['id'])).to.deep.equal(events.map(({ id }) => id));
    });

    it('is recorded once in all modes and at both operations', async () => {
      const event = new CloudEvent({ ...full(), subject: 'ord_1' });
      const [first, second, third] = [
        await send(HTTP.structured(event)),
        await send(HTTP.binary(event)),
        await post(`[${event.toString()}]`, batched, batchPath),
      ];
      const { id } = read(first, eventSchema);
      expect([
        second.text,
        second.headers['idempotent-replayed'],
        idsOf(resultsOf(third)),
        (await log.recordsOf('events', id)).length,
      ]).to.deep.equal([first.text, 'true', [id], 1]);
    });
  });

  it('is passed on unchanged to a webhook with the format cloudevents, also in a resend', async () => {
    const receiver = await startReceiver();
    const own = await openAccount(account.service);
    const { id: webhookId, secret } = await createWebhook(own.live, {
      ...{ url: receiver.url, format: 'cloudevents', tenantId: '*' },
    });
    const given = full();
    const body = JSON.stringify({ ...given, specversion: '1.0', tenantid: 'customer-42' });
    const { id } = read(await own.live.post(path, body, structured), eventSchema);
    await receiver.received(1);
    await eventually('the end of the first delivery', async () => {
      const { status } = await own.live.postJson(`${path}/${id}/resend`, { webhookId });
      return status === 202 || status === 200 ? true : null;
    });
    for (const { headers, body: sent } of await receiver.received(2)) {
      const event = HTTP.toEvent({ headers, body: sent.toString() }) as CloudEvent<unknown>;
      expect(JSON.parse(sent.toString())).to.deep.equal({
        ...given,
        ...{ specversion: '1.0', datacontenttype: 'application/json', tenantid: 'customer-42' },
      });
      expect([event.id, event.source, event.data]).to.deep.equal([given.id, given.source, given.data]);
      expect(new Webhook(secret).verify(sent, headers as Record<string, string>)).to.be.an('object');
      expect(headers).to.include({
        'content-type': 'application/cloudevents+json; charset=utf-8',
        'webhook-id': id,
      });
    }
  });

  it('keeps its data byte for byte in each mode', async () => {
    const data = '{ "n" : 12345678901234567890.10, "é":"\\u00e9" }';
    const { data: _, ...attributes } = fields();
    const text = `${JSON.stringify(attributes).slice(0, -1)},"data":${data}}`;
    const answers = [
      await post(text),
      await post(data, headersOf()),
      await post(`[${text.replace(attributes.id, randomUUID())}]`, batched),
    ];
    expect(answers.map((answer) => answer.text.includes(`"data":${data},`))).to.deep.equal([
      true,
      true,
      true,
    ]);
  });

  it('may contain its data in base64', async () => {
    const { data: _, ...attributes } = fields();
    const response = await post({
      ...attributes,
      data_base64: Buffer.from('{"a": 1.0}').toString('base64'),
    });
    expect(response.text).to.contain('"data":{"a": 1.0}');
  });

  it('has text for each value of an extension', async () => {
    const { id } = read(await post(fields({ truth: true, number: -7, text: '', unset: null })), eventSchema);
    const { truth, number, text, unset } = (await attributesOf(id)) ?? {};
    expect([truth, number, text, unset]).to.deep.equal(['true', '-7', '', undefined]);
  });

  it('has percent-encoded and quoted text in its headers', async () => {
    const headers = headersOf({
      'ce-subject': 'Euro%20%E2%82%AC%20%F0%9F%98%80',
      'ce-quoted': '"a \\"b\\" c"',
      'ce-percent': '100% %zz',
      'ce-raw': Buffer.from('é').toString('latin1'),
    });
    // Node.js encodes headers as UTF-8 if the body is text.
    const response = await account.live.post(path, Buffer.from('{}'), headers);
    const { id } = read(response, eventSchema);
    const { subject, quoted, percent, raw } = (await attributesOf(id)) ?? {};
    expect([subject, quoted, percent, raw]).to.deep.equal(['Euro € 😀', 'a "b" c', '100% %zz', 'é']);
  });

  it('may have any JSON media type and charset UTF-8', async () => {
    for (const type of ['application/json; charset=UTF-8', 'application/vnd.order+json', 'text/json']) {
      const { id } = read(await post('{}', headersOf({ 'content-type': type })), eventSchema);
      expect((await attributesOf(id))?.['datacontenttype']).to.equal(type);
    }
  });

  it('of a test key is a test event', async () => {
    const response = await account.test.post(path, JSON.stringify(fields()), structured);
    expect(read(response, eventSchema).mode).to.equal('test');
  });

  it('may be batched at the operation for single events, with the response of a batch', async () => {
    const response = await post([fields(), fields({ type: 'a b' })], batched);
    expect([response.status, summaryOf(read(response, eventBatchSchema).data)]).to.deep.equal([
      200,
      ['order.completed', 'event_type_invalid events[1].type'],
    ]);
  });

  it('may be single at the operation for batches, with the response of a batch', async () => {
    expect([
      summaryOf(resultsOf(await post(fields(), structured, batchPath))),
      summaryOf(resultsOf(await post('{}', headersOf(), batchPath))),
      summaryOf(resultsOf(await post(fields({ source: '' }), structured, batchPath))),
    ]).to.deep.equal([['order.completed'], ['order.completed'], ['parameter_invalid source']]);
  });

  it('is rejected if its id and source belong to another event', async () => {
    const event = fields();
    await post(event);
    const changes = [
      { type: 'order.changed' },
      { data: {} },
      { subject: 'other' },
      { time: '2026-01-01T00:00:00Z' },
    ];
    const answers = await Promise.all(changes.map((change) => post({ ...event, ...change })));
    expect(answers.map(refusalOf)).to.deep.equal(changes.map(() => '422 idempotency_key_reused id'));
  });

  it('is a repetition also with other extensions', async () => {
    const event = fields({ traceparent: '00-1' });
    const first = await post(event);
    expect((await post({ ...event, traceparent: '00-2' })).text).to.equal(first.text);
  });

  it('is another event with another source', async () => {
    const event = fields();
    const answers = [await post(event), await post({ ...event, source: '/shops/paris' })];
    const [one, other] = answers.map((answer) => read(answer, eventSchema).id);
    expect(one).to.not.equal(other);
  });

  it('has its first answer for a repeated Idempotency-Key', async () => {
    const headers = { ...structured, 'idempotency-key': randomUUID() };
    const event = fields();
    const [first, second] = [await post(event, headers), await post(event, headers)];
    const other = await post(fields(), headers);
    expect([second.text, second.headers['idempotent-replayed'], refusalOf(other)]).to.deep.equal([
      first.text,
      'true',
      '422 idempotency_key_reused',
    ]);
  });

  it('with other headers is another request for an Idempotency-Key', async () => {
    const headers = headersOf({ 'idempotency-key': randomUUID() });
    await post('{}', headers);
    expect(refusalOf(await post('{}', { ...headers, 'ce-subject': 'other' }))).to.equal(
      '422 idempotency_key_reused',
    );
  });

  it('in a batch fails alone', async () => {
    const [same, other] = [fields(), fields()];
    const results = resultsOf(
      await post(
        [same, same, { ...same, type: 'b' }, fields({ specversion: '0.3' }), 1, other],
        batched,
        batchPath,
      ),
    );
    expect(summaryOf(results)).to.deep.equal([
      'order.completed',
      'order.completed',
      'idempotency_key_reused events[2].id',
      'parameter_invalid events[3].specversion',
      'parameter_invalid events[4]',
      'order.completed',
    ]);
  });
});

const invalidFields: readonly (readonly [changes: Readonly<Record<string, unknown>>, refusal: string])[] = [
  [{ specversion: '0.3' }, '400 parameter_invalid specversion'],
  [{ specversion: 1 }, '400 parameter_invalid specversion'],
  [{ specversion: undefined }, '400 parameter_missing specversion'],
  [{ id: undefined }, '400 parameter_missing id'],
  [{ id: null }, '400 parameter_missing id'],
  [{ id: '' }, '400 parameter_invalid id'],
  [{ id: 'a\u0000' }, '400 parameter_invalid id'],
  [{ source: undefined }, '400 parameter_missing source'],
  [{ source: '' }, '400 parameter_invalid source'],
  [{ source: 'two words' }, '400 parameter_invalid source'],
  [{ source: '/%zz' }, '400 parameter_invalid source'],
  [{ type: undefined }, '400 parameter_missing type'],
  [{ type: 'two words' }, '400 event_type_invalid type'],
  [{ time: 'yesterday' }, '400 parameter_invalid time'],
  [{ time: '2026-13-01T00:00:00Z' }, '400 parameter_invalid time'],
  [{ time: '2026-11-21' }, '400 parameter_invalid time'],
  [{ time: 1 }, '400 parameter_invalid time'],
  [{ subject: '' }, '400 parameter_invalid subject'],
  [{ dataschema: 'relative' }, '400 parameter_invalid dataschema'],
  [{ datacontenttype: 'text/plain' }, '415 unsupported_media_type datacontenttype'],
  [{ datacontenttype: 'application/json; charset=latin1' }, '415 unsupported_media_type datacontenttype'],
  [{ data: undefined }, '400 parameter_missing data'],
  [{ data: null }, '400 parameter_missing data'],
  [{ data: [] }, '400 parameter_invalid data'],
  [{ data: '{}' }, '400 parameter_invalid data'],
  [{ data_base64: 'e30=' }, '400 parameter_invalid data'],
  [{ data: undefined, data_base64: 'e30' }, '400 parameter_invalid data_base64'],
  [{ data: undefined, data_base64: 'WzFd' }, '400 parameter_invalid data_base64'],
  [{ Upper: 'a' }, '400 parameter_invalid Upper'],
  [{ with_underscore: 'a' }, '400 parameter_invalid with_underscore'],
  [{ object: {} }, '400 parameter_invalid object'],
  [{ fraction: 1.5 }, '400 parameter_invalid fraction'],
  [{ large: 2 ** 31 }, '400 parameter_invalid large'],
  [{ long: 'x'.repeat(8192) }, '400 parameter_invalid long'],
  [{ tenantid: 'null' }, '400 parameter_invalid tenantid'],
  [{ tenantid: 1 }, '400 parameter_invalid tenantid'],
  [{ orderingkey: 'one' }, '400 parameter_unknown orderingkey'],
];
describe('an invalid CloudEvent', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount();
  });

  const post = (body: unknown, headers: Readonly<Record<string, string>> = structured, at = path) =>
    account.live.post(at, typeof body === 'string' ? body : JSON.stringify(body), headers);

  it('is rejected in structured mode with the name of the attribute', async () => {
    for (const [changes, refusal] of invalidFields) {
      const name = `${Object.keys(changes).join()} ${JSON.stringify(changes).slice(0, 60)}`;
      expect(refusalOf(await post(fields(changes))), name).to.equal(refusal);
    }
  });

  const invalidHeaders: readonly (readonly [changes: Readonly<Record<string, string>>, refusal: string])[] = [
    [{ 'ce-specversion': '0.3' }, '400 parameter_invalid ce-specversion'],
    [{ 'ce-id': '' }, '400 parameter_invalid ce-id'],
    [{ 'ce-source': 'two%20words' }, '400 parameter_invalid ce-source'],
    [{ 'ce-type': 'two words' }, '400 event_type_invalid ce-type'],
    [{ 'ce-time': 'now' }, '400 parameter_invalid ce-time'],
    [{ 'ce-subject': '%FF' }, '400 parameter_invalid ce-subject'],
    [{ 'ce-subject': '%00' }, '400 parameter_invalid ce-subject'],
    [{ 'ce-under_score': 'a' }, '400 parameter_invalid ce-under_score'],
    [{ 'ce-tenantid': '*' }, '400 parameter_invalid ce-tenantid'],
    [{ 'ce-data': 'one' }, '400 parameter_unknown ce-data'],
    [{ 'ce-datacontenttype': 'application/json' }, '400 parameter_unknown ce-datacontenttype'],
    [{ 'content-type': 'text/plain' }, '415 unsupported_media_type'],
    [{ 'content-encoding': 'gzip' }, '415 unsupported_media_type'],
  ];
  it('is rejected in binary mode with the name of the header', async () => {
    for (const [changes, refusal] of invalidHeaders) {
      expect(refusalOf(await post('{}', headersOf(changes))), JSON.stringify(changes)).to.equal(refusal);
    }
    for (const name of ['ce-specversion', 'ce-id', 'ce-source', 'ce-type']) {
      const { [name]: _, ...others } = headersOf() as Record<string, string>;
      expect(refusalOf(await post('{}', others))).to.equal(`400 parameter_missing ${name}`);
    }
    expect(errorOf(await post('{}', headersOf({ 'ce-specversion': '2.0' }))).message).to.equal(
      'ce-specversion must be 1.0.',
    );
  });

  it('is rejected in each mode with another body', async () => {
    for (const [body, refusal] of [
      ['{', '400 json_invalid'],
      ['[]', '400 parameter_invalid'],
    ] as const) {
      const answers = [await post(body), await post(body, headersOf())];
      expect(answers.map(refusalOf)).to.deep.equal([refusal, refusal]);
    }
    for (const [body, refusal] of [
      ['{}', '400 parameter_invalid'],
      ['[]', '400 parameter_invalid'],
      ['[{}', '400 json_invalid'],
      [`[${Array(501).fill('{}').join(',')}]`, '400 parameter_invalid'],
    ] as const) {
      expect(refusalOf(await post(body, batched, batchPath))).to.equal(refusal);
    }
    for (const type of ['application/cloudevents', 'application/cloudevents+json; charset=latin1']) {
      expect(refusalOf(await post(fields(), { 'content-type': type })), type).to.equal(
        '415 unsupported_media_type',
      );
    }
  });

  it('of more than 256 KiB is rejected', async () => {
    const data = { text: 'x'.repeat(256 * 1024) };
    const answers = [await post(fields({ data })), await post(JSON.stringify(data), headersOf())];
    expect(answers.map(refusalOf)).to.deep.equal(['413 payload_too_large', '413 payload_too_large']);
  });

  it('is no event of another operation', async () => {
    const response = await account.live.post('/v1/webhooks', JSON.stringify(fields()), structured);
    expect(refusalOf(response)).to.equal('415 unsupported_media_type');
  });
});
