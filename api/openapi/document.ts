import { z } from 'zod';

import { cacheableResponse, retained } from '../http/response.js';
import { publicRoute, type Route, type Tag } from '../http/route.js';
import { createComponents } from './components.js';
import { headers } from './headers.js';
import type { OpenApiDocument, PathItem } from './openApiTypes.js';
import { operationOf, pathTemplate } from './operation.js';
import { securitySchemes } from './security.js';
import { webhookPayload } from './webhookPayload.js';

export function createDocument(routes: readonly Route[]): OpenApiDocument {
  const components = createComponents();
  const paths: Record<string, PathItem> = {};
  for (const route of routes.filter(({ isUndescribed }) => isUndescribed !== true)) {
    const path = pathTemplate(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, components) };
  }
  const webhooks = { event: { post: webhookPayload(components) } };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postrider',
      version: '1',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The API server that serves this document.' }],
    tags: Object.entries(tagDescriptions).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: { securitySchemes, headers, ...components.collected() },
  };
}

/** The introduction of the OpenAPI document, with the rules of all operations, in CommonMark. */
const introduction = `Postrider records events and delivers them to webhooks.

Request and response bodies are JSON in UTF-8, with field names in camelCase. Times are ISO 8601 in UTC with milliseconds.
Every request has the header \`Authorization: Bearer <API_KEY>\`, or the session cookie of the dashboard. Live and test data are
separate. An API key accesses the data of its mode, and the service never delivers test data.

**Lists** are \`{data, hasMore}\`, newest first. \`limit\` is the page size. \`startingAfter\` returns the page of resources that are older
than an id, and \`endingBefore\` the page just before an id. A client that reads all pages gets each resource once, also while new resources arrive.

**Rate limits** are requests a second for each account and mode: Free 10, Pro 100, Enterprise an individual number. \`RateLimit\`
in every response to a key contains the remaining requests. Beyond the rate limit, the response is a 429 with \`Retry-After\`.

**Errors** are \`{"error": {"type", "code", "message", "param", "requestId"}}\`. Programs should use the \`code\`. The
response for an unknown path is a 404 \`route_not_found\`, and for an unsupported method a 405 \`method_not_allowed\` with \`Allow\`.
HEAD is supported like GET. Any request can also get a 400 \`http_invalid\`, a 408 \`request_timeout\` or a
431 \`headers_too_large\`, and the API then closes the connection. Retry a request only if the page of its error code says that
the code is retryable.

**Compression**: the API compresses lists and resources of more than 1 KiB if a GET has \`Accept-Encoding: gzip\`. A GET with a session also needs the header \`Postrider-Mode\`.

**Examples** are curl commands. The commands take the address of the service, an API key and an id from shell variables:
\`export POSTRIDER_URL=… POSTRIDER_API_KEY=sk_live_… ID=…\`.

**Fields** are added to responses without notice, so ignore unknown fields. The API rejects requests with unknown fields.`;

const tagDescriptions: Readonly<Record<Tag, string>> = {
  Events: 'Events and their deliveries to webhooks.',
  Webhooks: 'Webhooks: URLs that receive events of selected types.',
  'Event types':
    'Event types: the schemas that posted events must match, and the catalog for code generators.',
  Tenants: 'Tenants: the customers of the account, with their own webhooks.',
  Replays: 'Replays, which deliver the events of a time range to a webhook again.',
  Account: 'The account and its users.',
  'Sign-in': 'Sessions of users, which the dashboard uses instead of an API key.',
  'API keys': 'Full keys of the account, and scoped keys for Enterprise.',
  'Customer portal': 'Sessions of the customer portal, each for one tenant.',
  'Audit log': 'The changes of the account, its keys, its users and its webhooks.',
  Description: 'The OpenAPI document and the API reference.',
  Operations: 'Operations for operators and monitors, without an API key.',
};

/** @param describe creates the OpenAPI document at the first request */
export function openApiRoutes(describe: () => OpenApiDocument): readonly Route[] {
  return [
    publicRoute({
      path: '/openapi.json',
      operationId: 'readOpenApi',
      tag: 'Description',
      summary: 'Read the OpenAPI document',
      description: 'The API as an OpenAPI 3.1 document, for client generators and validators.',
      response: z.looseObject({ openapi: z.literal('3.1.0') }).meta({ id: 'OpenApiDocument' }),
      isCacheable: true,
      handle: retained(() => cacheableResponse(JSON.stringify(describe()), 'application/json')),
    }),
  ];
}
