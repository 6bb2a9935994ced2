import { readFileSync } from 'node:fs';

import { expect } from 'chai';

import { describedApi } from '../../contract/describedApi.js';
import { excludedOperations, programFolder, programs } from '../../contract/generatedPrograms.js';

const document = JSON.parse(JSON.stringify(describedApi())) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};

interface Described {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

interface Media {
  readonly schema: object;
}

interface Part {
  readonly place: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
const keyOperations = operations.filter(({ security }) => security.some((each) => 'apiKey' in each));

/** Every object below a part of the document, except examples. */
function partsOf(value: unknown, place = '#'): readonly Part[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const below = Object.entries(value)
    .filter(([key]) => key !== 'example')
    .flatMap(([key, each]) => partsOf(each, `${place}/${key}`));
  return Array.isArray(value) ? below : [{ place, value: { ...value } }, ...below];
}

const parts = partsOf(document);
const placesOf = (isFault: (part: Part) => boolean) => parts.filter(isFault).map(({ place }) => place);

/** The operations that take an API key. Published ids never change, because they name the methods of generated clients. */
const operationIds = [
  'cancelReplay',
  'createApiKey',
  'createEvent',
  'createEventBatch',
  'createPortalSession',
  'createReplay',
  'createWebhook',
  'deleteApiKey',
  'deleteEventType',
  'deletePortalSessions',
  'deleteTenant',
  'deleteWebhook',
  'listApiKeys',
  'listAttempts',
  'listAuditLog',
  'listEventAttempts',
  'listEventTypes',
  'listEvents',
  'listReplays',
  'listTenants',
  'listUsers',
  'listWebhookAttempts',
  'listWebhooks',
  'putEventType',
  'putTenant',
  'resendEvent',
  'retrieveAccount',
  'retrieveDeliveryHealth',
  'retrieveDeliveryStats',
  'retrieveEvent',
  'retrieveEventCatalog',
  'retrieveEventType',
  'retrieveEventTypeUsage',
  'retrievePortalSession',
  'retrieveReplay',
  'retrieveTenant',
  'retrieveWebhook',
  'retrieveWebhookHealth',
  'rotateWebhookSecret',
  'streamEvents',
  'testWebhook',
  'updateAccount',
  'updateWebhook',
];

describe('the OpenAPI document, for generators of clients', () => {
  it('keeps every operation id', () => {
    expect(operations.map(({ operationId }) => operationId)).to.include.members(operationIds);
  });

  it('names the same action with the same verb', () => {
    const verb = /^(cancel|create|delete|list|put|resend|retrieve|rotate|stream|test|update)[A-Z]/;
    const ids = keyOperations.map(({ operationId }) => operationId);
    expect(ids.filter((id) => !verb.test(id))).to.deep.equal([]);
  });

  it('contains a union only of a named schema and null', () => {
    const unions = placesOf(({ value }) => {
      const choices = [value['anyOf'], value['oneOf']].filter((each) => Array.isArray(each));
      return choices.some((each) => !isNullableReference(each));
    });
    expect(unions).to.deep.equal([]);
  });

  for (const program of programs) {
    it(`has only operations that ${program} calls, as far as they take an API key`, () => {
      const text = readFileSync(`${programFolder}/${program}`, 'utf8');
      const ids = keyOperations.map(({ operationId }) => operationId);
      const missing = ids.filter((id) => !new RegExp(`\\(\\s*["']${id}["']`).test(text));
      expect(missing).to.deep.equal(Object.keys(excludedOperations));
    });
  }

  it('names one schema for all successes of an operation', () => {
    const several = operations.filter(({ operationId, responses }) => {
      const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const schemas = successes.flatMap(([, { content }]) => mediaOf(operationId, content));
      return new Set(schemas.map(([, schema]) => JSON.stringify(schema))).size > 1;
    });
    expect(several.map(({ operationId }) => operationId)).to.deep.equal([]);
  });

  it('has no list of types except a type and null', () => {
    const lists = placesOf(({ value }) => {
      const { type } = value;
      return Array.isArray(type) && !(type.length === 2 && type[1] === 'null');
    });
    expect(lists).to.deep.equal([]);
  });

  it('has one component for the data of events', () => {
    const places = placesOf(({ place, value }) => place.endsWith('/properties/data') && isOpenObject(value));
    expect(places).to.deep.equal([]);
  });

  it('has no component with the name of an error type of a language', () => {
    expect(Object.keys(document.components.schemas)).not.to.include.members(['Error']);
  });

  it('has no pattern for times', () => {
    const times = placesOf(({ value }) => value['format'] === 'date-time' && 'pattern' in value);
    expect(times).to.deep.equal([]);
  });

  it('describes every error with the same schema', () => {
    const others = operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status, { content }]) => Number(status) >= 400 && Number(status) !== 503 && content)
        .filter(([, { content }]) => !isErrorReference(content?.['application/json']?.schema))
        .map(([status]) => `${operationId} ${status}`),
    );
    expect(others).to.deep.equal([]);
  });

  it('leaves responses open for new fields', () => {
    const closed = Object.entries(document.components.schemas)
      .filter(([, schema]) => 'additionalProperties' in schema && schema.additionalProperties === false)
      .map(([name]) => name);
    expect(closed.filter((name) => !name.endsWith('Request') && name !== 'BatchEvent')).to.deep.equal([]);
    const inResponses = placesOf(
      ({ place, value }) => place.includes('/responses/') && value['additionalProperties'] === false,
    );
    expect(inResponses).to.deep.equal([]);
  });

  it('names each body of an operation that takes an API key', () => {
    const bodies = keyOperations.flatMap(({ operationId, requestBody, responses }) => [
      ...mediaOf(operationId, requestBody?.content),
      ...Object.values(responses).flatMap(({ content }) => mediaOf(operationId, content)),
    ]);
    expect(bodies.filter(([, schema]) => !('$ref' in schema)).map(([id]) => id)).to.deep.equal([]);
  });

  it('names each object within an object', () => {
    const isNested = /\/(properties\/\w+|items|additionalProperties|anyOf\/\d)$/;
    const inline = placesOf(
      ({ place, value }) =>
        place.startsWith('#/components/schemas') &&
        isNested.test(place) &&
        Object.keys(value['properties'] ?? {}).length > 0,
    );
    // A user signs in to the dashboard with a session, not with an API key.
    expect(inline.filter((place) => !/schemas\/(Session|\w*User)\//.test(place))).to.deep.equal([]);
  });

  it('lists JSON first among the media types of a body', () => {
    const firsts = operations.map(({ requestBody }) => Object.keys(requestBody?.content ?? {})[0]);
    expect(new Set(firsts)).to.deep.equal(new Set([undefined, 'application/json']));
  });
});

function mediaOf(operationId: string, content: Readonly<Record<string, Media>> = {}) {
  const json = content['application/json'];
  return json === undefined ? [] : [[operationId, json.schema] as const];
}

function isErrorReference(schema: object | undefined): boolean {
  return schema !== undefined && '$ref' in schema && schema.$ref === '#/components/schemas/ErrorResponse';
}

function isOpenObject(schema: Readonly<Record<string, unknown>>): boolean {
  return schema['type'] === 'object' && schema['properties'] === undefined;
}

function isNullableReference(choices: readonly unknown[]): boolean {
  const [first, second, ...more] = choices as readonly Readonly<Record<string, unknown>>[];
  return first !== undefined && '$ref' in first && second?.['type'] === 'null' && more.length === 0;
}
