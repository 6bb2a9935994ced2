import { expect } from 'chai';

import {
  dryRunSchema,
  eventTypeListSchema,
  eventTypeSchema,
  usageSchema,
} from '../../../../api/resources/eventTypes/schemas.js';
import { auditLogSchema } from '../../../../api/resources/audit/routes.js';
import { eventually } from '../../../support/eventually.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { call, errorOf, read, refusalOf, type Client } from '../../support/client.js';
import { postEvent } from '../../support/events.js';

const schema = '{ "type" : "object", "required": ["amount"], "x-limit": 12345678901234567890.10 }';
const examples = '[ {"amount": 0.10000000000000000555} ]';

describe('the event types of an account', () => {
  let account: TestAccount;
  let live: Client;
  before(async () => {
    account = await openAccount();
    live = account.live;
  });

  const pathOf = (name: string) => `/v1/event-types/${name}`;
  const put = (name: string, fields: object = {}) => live.put(pathOf(name), JSON.stringify(fields));

  it('answers 201 with a new event type, and its fields have defaults', async () => {
    const response = await put('type.with.defaults');
    const { created, updated, ...eventType } = read(response, eventTypeSchema);

    expect([response.status, updated, eventType]).to.deep.equal([
      201,
      created,
      {
        name: 'type.with.defaults',
        description: null,
        schema: null,
        examples: [],
        validation: 'off',
        deprecated: false,
      },
    ]);
  });

  it('returns schema and examples byte for byte in every response', async () => {
    const body = `{"validation":"warn","examples":${examples},"schema":${schema}}`;
    const path = pathOf('order.exact');
    const texts = [
      (await live.put(path, body)).text,
      (await live.get(path)).text,
      (await live.get('/v1/event-types?limit=100')).text,
    ];

    expect(texts.map((text) => [text.includes(schema), text.includes(examples)])).to.deep.equal(
      texts.map(() => [true, true]),
    );
  });

  it('answers 200 with the replaced event type, and fields that are left out get their defaults', async () => {
    await put('order.replaced', { description: 'Before', deprecated: true });
    const response = await put('order.replaced', { validation: 'off' });

    expect([response.status, read(response, eventTypeSchema)]).to.deep.include.members([200]);
    expect(read(response, eventTypeSchema)).to.include({ description: null, deprecated: false });
  });

  it('accepts the answer of a GET, and ignores its times', async () => {
    const path = pathOf('order.returned');
    await live.put(path, `{"validation":"warn","examples":${examples},"schema":${schema}}`);
    const { text } = await live.get(path);
    const later = text.replace(/"created":"\d+/, '"created":"1999');
    const responses = [await live.put(path, text), await live.put(path, later)];

    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(responses.map((response) => response.text)).to.deep.equal([text, text]);
    expect(refusalOf(await live.put(path, '{"updated":1}'))).to.equal('400 parameter_invalid updated');
  });

  it('deletes an event type, which can be created again', async () => {
    await put('order.deleted');
    const path = pathOf('order.deleted');
    const deleted = await live.delete(path);
    const missing = [await live.get(path), await live.delete(path)];
    const again = await put('order.deleted');

    expect(JSON.parse(deleted.text)).to.deep.equal({ name: 'order.deleted', deleted: true });
    expect(missing.map(refusalOf)).to.deep.equal(['404 resource_missing', '404 resource_missing']);
    expect(again.status).to.equal(201);
  });

  it('lists event types newest first, from a cursor that was deleted', async () => {
    const { live: other } = await openAccount(account.service);
    for (const name of ['list.one', 'list.two', 'list.three']) {
      await other.put(pathOf(name), '{}');
    }
    await other.delete(pathOf('list.two'));
    const namesOf = async (query: string) =>
      read(await other.get(`/v1/event-types?${query}`), eventTypeListSchema).data.map(({ name }) => name);

    expect([
      await namesOf('limit=1'),
      await namesOf('startingAfter=list.two'),
      await namesOf('endingBefore=list.two'),
    ]).to.deep.equal([['list.three'], ['list.one'], ['list.three']]);
    expect(refusalOf(await other.get('/v1/event-types?startingAfter=list.none'))).to.equal(
      '400 cursor_invalid startingAfter',
    );
  });

  it('lists summaries without schemas, and with the usage of a week', async () => {
    const { live: other } = await openAccount(account.service);
    await other.put(pathOf('order.completed'), `{"schema":${schema}}`);
    await postEvent(other);
    const list = await eventually('a counted event', async () => {
      const response = await other.get('/v1/event-types?fields=summary&include=usage');
      const { data } = read(response, eventTypeListSchema);
      return data[0]?.usage?.events === 1 ? data : null;
    });

    expect(list.map(({ name, schema: shown, usage }) => ({ name, shown, usage }))).to.deep.equal([
      { name: 'order.completed', shown: undefined, usage: { events: 1, isAtLeast: false } },
    ]);
  });

  const rejected: readonly (readonly [string, string, string, string])[] = [
    ['an invalid name', 'not%20a%20name', '{}', '400 event_type_invalid name'],
    ['another name in the body', 'order.other', '{"name":"a.b"}', '400 parameter_invalid name'],
    ['an unknown field', 'order.other', '{"x":1}', '400 parameter_unknown x'],
    ['a schema that is a text', 'order.other', '{"schema":"x"}', '400 schema_invalid schema'],
    [
      'a validation without a schema',
      'order.other',
      '{"validation":"warn"}',
      '400 parameter_invalid validation',
    ],
    ['an example that is no object', 'order.other', '{"examples":[1]}', '400 parameter_invalid examples[0]'],
    [
      'eleven examples',
      'order.other',
      `{"examples":[${Array(11).fill('{}').join()}]}`,
      '400 parameter_invalid examples',
    ],
    [
      'an example that does not match the schema',
      'order.other',
      '{"schema":{"required":["amount"]},"examples":[{"amount":1},{}]}',
      '400 parameter_invalid examples[1].amount',
    ],
    [
      'a schema of 64 KiB and a byte',
      'order.other',
      `{"schema":{"description":"${'x'.repeat(64 * 1024 - 17)}"}}`,
      '400 schema_invalid schema',
    ],
    [
      'examples of more than 64 KiB',
      'order.other',
      `{"examples":[{"a":"${'x'.repeat(64 * 1024)}"}]}`,
      '400 parameter_invalid examples',
    ],
    [
      'a schema that is not valid',
      'order.other',
      '{"schema":{"type":"nonsense"}}',
      '400 schema_invalid schema.type',
    ],
  ];
  it('rejects an invalid event type, and changes nothing', async () => {
    for (const [what, name, body, refusal] of rejected) {
      expect(refusalOf(await live.put(pathOf(name), body)), what).to.equal(refusal);
      expect((await live.get(pathOf(name))).status).to.equal(404);
    }
  });

  it('accepts a schema of exactly 64 KiB', async () => {
    const body = `{"schema":{"description":"${'x'.repeat(64 * 1024 - 18)}"}}`;
    expect((await live.put(pathOf('order.large'), body)).status).to.equal(201);
  });

  it('returns 304 for a catalog until an event type changes', async () => {
    const { live: other, liveKey } = await openAccount(account.service);
    await other.put(pathOf('order.tagged'), '{}');
    const headers = { authorization: `Bearer ${liveKey}` };
    const ask = (tag = '') =>
      call(account.service.address, '/v1/event-catalog.json', {
        headers: { ...headers, 'if-none-match': tag },
      });
    const first = await ask();
    const again = await ask(first.headers.etag);
    await other.put(pathOf('order.tagged'), '{"description":"Changed"}');
    const changed = await ask(first.headers.etag);
    expect([first, again, changed].map(({ status }) => status)).to.deep.equal([200, 304, 200]);
  });

  it('shows the changes in the audit log, without schemas and examples', async () => {
    const { live: other } = await openAccount(account.service);
    await other.put(pathOf('order.audited'), `{"schema":${schema},"validation":"warn"}`);
    await other.put(pathOf('order.audited'), `{"schema":${schema},"validation":"off"}`);
    await other.delete(pathOf('order.audited'));
    const entries = await eventually('three entries', async () => {
      const { data } = read(await other.get('/v1/audit-log'), auditLogSchema);
      const found = data.filter(({ resource }) => resource.type === 'event_type');
      return found.length === 3 ? found : null;
    });

    expect(entries.map(({ action, resource }) => [action, resource.id])).to.deep.equal(
      ['deleted', 'updated', 'created'].map((what) => [`event_type.${what}`, 'order.audited']),
    );
    expect(entries[1]?.changes).to.deep.equal({ validation: { from: 'warn', to: 'off' } });
    expect(JSON.stringify(entries)).to.not.include('required');
  });

  describe('a dry run', () => {
    it('counts the stored events that do not match, and stores no event type', async () => {
      const { live: other } = await openAccount(account.service);
      for (const amount of [1, 'two', 3]) {
        await postEvent(other, 'order.dry', { amount });
      }
      const body = '{"schema":{"properties":{"amount":{"type":"integer"}}}}';
      const response = await other.put(`${pathOf('order.dry')}?dryRun=true`, body);
      const { samples, ...counts } = read(response, dryRunSchema);

      expect([response.status, counts]).to.deep.equal([200, { checked: 3, invalid: 1, complete: true }]);
      expect(samples.map(({ param }) => param)).to.deep.equal(['data.amount']);
      expect((await other.get(pathOf('order.dry'))).status).to.equal(404);
    });

    it('rejects what the PUT itself would reject', async () => {
      const response = await live.put(`${pathOf('order.dry')}?dryRun=true`, '{"validation":"warn"}');
      expect([refusalOf(response), errorOf(response).param]).to.deep.equal([
        '400 parameter_invalid validation',
        'validation',
      ]);
    });
  });

  describe('the usage of an event type', () => {
    it('counts the events of each day, of which today is the last', async () => {
      const { live: other } = await openAccount(account.service);
      await other.put(pathOf('order.completed'), '{}');
      await postEvent(other);
      const { created } = await postEvent(other);
      const usage = await eventually('two counted events', async () => {
        const found = read(await other.get(`${pathOf('order.completed')}/usage?days=2`), usageSchema);
        return found.data.at(-1)?.events === 2 ? found : null;
      });

      expect(usage.data.map(({ events, isAtLeast }) => [events, isAtLeast])).to.deep.equal([
        [0, false],
        [2, false],
      ]);
      expect([usage.data.at(-1)?.day, usage.lastEventAt]).to.deep.equal([created.slice(0, 10), created]);
    });

    it('needs an event type, and at most 30 days', async () => {
      await put('order.used');
      expect([
        refusalOf(await live.get(`${pathOf('order.none')}/usage`)),
        refusalOf(await live.get(`${pathOf('order.used')}/usage?days=31`)),
      ]).to.deep.equal(['404 resource_missing', '400 parameter_invalid days']);
    });
  });
});
