import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect } from 'chai';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

import { writeCatalogDocument } from '../../../../api/resources/eventTypes/catalog/catalogDocument.js';
import type { EventType } from '../../../../shared/domain/eventTypes/eventType.js';
import { eventTypeSettings } from '../../../support/eventTypeFacts.js';
import { start, testIdentifier, testRecordId } from '../../../support/facts.js';
import { closeAtEndOfFile } from '../../../support/fileResources.js';

const run = promisify(execFile);

function eventType(name: string, schema: string | null, fields: Partial<EventType> = {}): EventType {
  return {
    ...eventTypeSettings({ description: null, examples: '[]', schema }),
    ...{ accountId: testIdentifier('acct'), mode: 'live', name, status: 'active' },
    ...{ created: start, updated: start, revision: testRecordId(1) },
    ...fields,
  };
}

interface Document {
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

async function documentOf(...types: readonly EventType[]): Promise<Document> {
  return JSON.parse(await writeCatalogDocument(types)) as Document;
}

/** The schemas of the data, without those of the requests. */
async function schemasOf(...types: readonly EventType[]): Promise<Readonly<Record<string, unknown>>> {
  const { schemas } = (await documentOf(...types)).components;
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => !/Event\d*$/.test(name)));
}

const order = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://example.com/order",
  "type": "object",
  "required": ["orderId", "amount"],
  "properties": {
    "orderId": {"type": "string"},
    "amount": {"type": "integer", "minimum": 0, "maximum": 12345678901234567890},
    "address": {"$ref": "#/$defs/address"},
    "parent": {"$ref": "#"},
    "status": {"enum": ["paid", "open"]}
  },
  "$defs": {"address": {"type": "object", "properties": {"city": {"type": "string"}}, "additionalProperties": false}}
}`;

describe('the catalog document', () => {
  it('has a webhook for each event type, and marks deprecated types', async () => {
    const { webhooks } = await documentOf(
      eventType('order.completed', order),
      eventType('user.signup', null, { deprecated: true }),
    );
    expect(webhooks).to.have.all.keys('order.completed', 'user.signup');
    expect(webhooks['user.signup']).to.have.nested.property('post.deprecated', true);
  });

  it('makes a component of each definition, and of each target of a reference', async () => {
    const schema = `{
      "$ref": "#/properties/a~1b",
      "properties": {"a/b": {"$anchor": "here", "type": "object"}, "c": {"$ref": "#here"}},
      "$defs": {"used": true}
    }`;
    expect(await schemasOf(eventType('a.b', schema))).to.deep.equal({
      ABData: {
        $ref: '#/components/schemas/ABDataAB',
        properties: {
          'a/b': { $ref: '#/components/schemas/ABDataAB' },
          c: { $ref: '#/components/schemas/ABDataAB' },
        },
      },
      ABDataUsed: {},
      ABDataAB: { type: 'object' },
    });
  });

  it('follows references with the id of the schema, and to the schema itself', async () => {
    const schema = `{"$id": "https://e.example/s", "properties": {"a": {"$ref": "https://e.example/s#/$defs/x"}, "b": {"$dynamicRef": "#"}}, "$defs": {"x": false}}`;
    expect(await schemasOf(eventType('t', schema))).to.deep.equal({
      TData: {
        properties: { a: { $ref: '#/components/schemas/TDataX' }, b: { $ref: '#/components/schemas/TData' } },
      },
      TDataX: { not: {} },
    });
  });

  it('leaves values alone that only look like references', async () => {
    const schema = '{"const": {"$ref": "#/x"}, "enum": [{"$ref": "#/y"}], "unknown": {"$ref": "#/z"}}';
    expect(await schemasOf(eventType('t', schema))).to.deep.equal({
      TData: { const: { $ref: '#/x' }, enum: [{ $ref: '#/y' }] },
    });
  });

  it('takes __proto__ as an ordinary name', async () => {
    const text = await writeCatalogDocument([
      eventType('t', '{"properties": {"__proto__": {"type": "string"}}}'),
    ]);
    expect(text).to.include('"properties":{"__proto__":{"type":"string"}}');
  });

  it('keeps every digit of a schema and of its examples', async () => {
    const text = await writeCatalogDocument([
      eventType('t', '{"maximum": 12345678901234567890.10}', { examples: '[{"a": 0.10000000000000000555}]' }),
    ]);
    expect([text.includes('12345678901234567890.10'), text.includes('0.10000000000000000555')]).to.deep.equal(
      [true, true],
    );
  });

  it('gives equal names a number, by the order of the event types', async () => {
    const types = ['order.paid', 'order_paid', 'Order.Paid'].map((name) => eventType(name, 'true'));
    expect(Object.keys((await documentOf(...types)).components.schemas)).to.have.members([
      'OrderPaidEvent',
      'OrderPaidData',
      'OrderPaidEvent2',
      'OrderPaidData2',
      'OrderPaidEvent3',
      'OrderPaidData3',
    ]);
  });

  it('has no schema of an event type that would exceed the size limit, and still its name', async () => {
    const large = `{"description": "${'x'.repeat(60_000)}"}`;
    const types = ['t.1', 't.2', 't.3'].map((name) => eventType(name, large));
    const text = await writeCatalogDocument(types, 120_000);
    const { webhooks } = JSON.parse(text) as Document;
    expect([Object.keys(webhooks), text.length < 120_000, text.split('xxxxxxxx').length > 1]).to.deep.equal([
      ['t.1', 't.2', 't.3'],
      true,
      true,
    ]);
  });
});

/** A receiver whose last line has an error, so that the test notices if nothing is checked. */
const receiver = `
import type { webhooks } from './catalog.js';
type Event = NonNullable<webhooks[keyof webhooks]['post']['requestBody']>['content']['application/json'];
export function receive(event: Event): string | number | undefined {
  if (event.type === 'order.completed') {
    return event.data.amount + (event.data.parent?.amount ?? 0) + (event.data.address?.city?.length ?? 0);
  }
  return event.type === 'user.signup' ? event.data.email.amount : undefined;
}
`;

describe('the catalog document in other tools', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalog-'));
    closeAtEndOfFile(() => rm(folder, { recursive: true }));
    const document = await writeCatalogDocument([
      eventType('order.completed', order, { examples: '[{"orderId": "ord_1", "amount": 4200}]' }),
      eventType(
        'user.signup',
        '{"type": "object", "required": ["email"], "properties": {"email": {"type": "string"}}}',
        {
          deprecated: true,
          description: 'A user has signed up.',
        },
      ),
      eventType('2fa.enabled', '{"anyOf": [{"required": ["a"]}, false], "items": {"$ref": "#"}}'),
    ]);
    await writeFile(join(folder, 'catalog.json'), document);
  });

  it('passes the recommended rules of redocly', async () => {
    const { stderr, stdout } = await run(
      'npx',
      ['redocly', 'lint', '--extends=recommended', join(folder, 'catalog.json')],
      { env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
    );
    expect(`${stdout}${stderr}`).to.match(/Your API description is valid/);
  });

  it('gives types that narrow by the type of the event', async () => {
    const types = astToString(await openapiTS(new URL(`file://${join(folder, 'catalog.json')}`)));
    await writeFile(join(folder, 'catalog.ts'), types);
    await writeFile(join(folder, 'receiver.ts'), receiver);
    const files = [join(folder, 'receiver.ts')];
    const program = ts.createProgram(files, {
      ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
      ...{ module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022 },
    });
    const messages = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
    expect(messages).to.deep.equal(["Property 'amount' does not exist on type 'string'."]);
  });
});
