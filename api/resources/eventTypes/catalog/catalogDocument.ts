import { createTimeSlices } from '../../../../shared/concurrency/timeSlices.js';
import type { EventType } from '../../../../shared/domain/eventTypes/eventType.js';
import { noExamples } from '../../../../shared/domain/eventTypes/eventTypeDecisions.js';
import {
  parseExactJson,
  writeExactJson,
  type JsonValue,
} from '../../../../shared/jsonSchema/json/exactJson.js';
import { createComponentNames, typeComponentName, type ComponentNames } from './componentNames.js';
import { componentsOf } from './rewriteReferences.js';
import { isObject } from './schemaKeywords.js';

/** The maximum size of the document, in bytes. */
const maximumDocumentBytes = 8 * 1024 * 1024;
/** More than the size of an event type without its schema, its examples and its description, in bytes. */
const bytesWithoutSchema = 4096;
/** More than the size of the parts that do not belong to an event type, in bytes. */
const bytesOfRest = 16 * 1024;

/** An event type in the document, as JSON texts. */
interface DescribedType {
  readonly webhook: string;
  readonly components: string;
  readonly bytes: number;
}

/**
 * Writes the OpenAPI 3.1 document of event types. If a schema does not fit into the size limit, the document has the
 * event type without its schema. The work runs in time slices, because a catalog may have a thousand schemas.
 * @param eventTypes the oldest first, so that a new event type changes no earlier name
 */
export async function writeCatalogDocument(
  eventTypes: readonly EventType[],
  maximumBytes: number = maximumDocumentBytes,
): Promise<string> {
  const slices = createTimeSlices();
  const names = createComponentNames();
  const described: DescribedType[] = [];
  let room = maximumBytes - bytesOfRest;
  for (const [index, eventType] of eventTypes.entries()) {
    const reserved = (eventTypes.length - index - 1) * bytesWithoutSchema;
    const next = describedWithin(room - reserved, eventType, names);
    described.push(next);
    room -= next.bytes;
    if (slices.isOver()) {
      await slices.next();
    }
  }
  const webhooks = described.map(({ webhook }) => webhook).join(',');
  const schemas = described.map(({ components }) => components).join(',');
  return (
    `${JSON.stringify(documentStart).slice(0, -1)},"webhooks":{${webhooks}},` +
    `"components":{${JSON.stringify(sharedComponents).slice(1, -1)},"schemas":{${schemas}}}}`
  );
}

function describedWithin(room: number, eventType: EventType, names: ComponentNames): DescribedType {
  const name = typeComponentName(eventType.name);
  const own = { data: names.unique(`${name}Data`), event: names.unique(`${name}Event`) };
  const operationId = names.unique(`receive${name}`);
  const complete = describedType(eventType, { ...own, operationId }, names);
  return complete.bytes <= room
    ? complete
    : describedType(withoutDetails(eventType), { ...own, operationId }, names);
}

/** The event type in a document that has no room for its schema. */
function withoutDetails(eventType: EventType): EventType {
  return {
    ...eventType,
    description: 'The schema of this event type does not fit into the document.',
    schema: null,
    examples: noExamples,
  };
}

interface OwnNames {
  readonly data: string;
  readonly event: string;
  readonly operationId: string;
}

function describedType(eventType: EventType, own: OwnNames, names: ComponentNames): DescribedType {
  const { name, deprecated } = eventType;
  const description = eventType.description ?? `The event \`${name}\`.`;
  const operation = {
    operationId: own.operationId,
    summary: name,
    description,
    ...(deprecated ? { deprecated } : {}),
    security: [],
    parameters: parameterReferences,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: referenceTo(own.event) } },
    },
    responses: responseReferences,
  };
  const body = {
    type: 'object',
    description,
    ...(deprecated ? { deprecated } : {}),
    required: ['id', 'type', 'timestamp', 'data'],
    properties: {
      id: { type: 'string', description: 'The id of the event.' },
      type: { type: 'string', const: name },
      timestamp: {
        type: 'string',
        format: 'date-time',
        description: 'The time at which the event was created.',
      },
      tenantId: { type: 'string', description: 'The tenant of the event; missing without a tenant.' },
      data: referenceTo(own.data),
    },
  };
  const components = [
    member(own.event, JSON.stringify(body)),
    ...[...dataComponents(eventType, own.data, names)].map(([component, schema]) =>
      member(component, writeExactJson(schema)),
    ),
  ].join(',');
  const webhook = member(name, JSON.stringify({ post: operation }));
  return { webhook, components, bytes: Buffer.byteLength(webhook) + Buffer.byteLength(components) + 2 };
}

function dataComponents(
  { schema, examples }: EventType,
  name: string,
  names: ComponentNames,
): ReadonlyMap<string, JsonValue> {
  const parsed: JsonValue = schema === null ? { type: 'object' } : parseExactJson(schema);
  const components = componentsOf(parsed, name, names.unique);
  const data = components.get(name);
  return isObject(data) && examples !== noExamples
    ? new Map([...components, [name, { ...data, examples: parseExactJson(examples) }]])
    : components;
}

function member(name: string, text: string): string {
  return `${JSON.stringify(name)}:${text}`;
}

function referenceTo(component: string) {
  return { $ref: `#/components/schemas/${component}` };
}

const documentStart = {
  openapi: '3.1.0',
  info: {
    title: 'Event catalog',
    version: '1',
    description:
      'The requests that webhooks receive, one for each event type. Verify the signature of a request (Standard Webhooks) ' +
      'before you process the event.',
    // Linters expect a license. SPDX names an unknown one NOASSERTION.
    license: { name: 'Not specified', identifier: 'NOASSERTION' },
  },
  // Linters expect a server, although the document describes only requests to the URLs of webhooks.
  servers: [{ url: '/', description: 'The URL of a webhook.' }],
  jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
};

const headerParameters = {
  WebhookId: ['webhook-id', 'The id of the event, which is equal for all attempts of a delivery.'],
  WebhookTimestamp: ['webhook-timestamp', 'The time of the attempt, in seconds since 1970.'],
  WebhookSignature: ['webhook-signature', 'One signature for each valid secret, separated by spaces.'],
} as const;

const sharedComponents = {
  parameters: Object.fromEntries(
    Object.entries(headerParameters).map(([component, [name, description]]) => [
      component,
      { name, in: 'header', required: true, description, schema: { type: 'string' } },
    ]),
  ),
  responses: {
    Accepted: { description: 'The receiver has accepted the event.' },
    Rejected: { description: 'The service repeats the delivery later.' },
  },
};

const parameterReferences = Object.keys(headerParameters).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));

const responseReferences = {
  '2XX': { $ref: '#/components/responses/Accepted' },
  '4XX': { $ref: '#/components/responses/Rejected' },
};
