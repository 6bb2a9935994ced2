import { z } from 'zod';

import { cacheableResponse, type HttpResponse } from '../http/response.js';
import { publicRoute, type Route, type Tag } from '../http/route.js';
import { createSchemaCollection } from './componentSchemas.js';
import { headers } from './headers.js';
import type { OpenApiDocument, PathItem } from './openApiTypes.js';
import { operationOf, pathTemplate } from './operation.js';
import { securitySchemes } from './securitySchemes.js';
import { shareResponses } from './responseReferences.js';
import { webhookPayload } from './webhookPayload.js';

/** The OpenAPI document of a route table. */
export function createDocument(routes: readonly Route[]): OpenApiDocument {
  const schemas = createSchemaCollection();
  const paths: Record<string, PathItem> = {};
  for (const route of routes.filter(({ isUndescribed }) => isUndescribed !== true)) {
    const path = pathTemplate(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, schemas) };
  }
  const shared = shareResponses(paths);
  const webhooks = { event: { post: webhookPayload(schemas) } };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postrider',
      version: '1',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server of this document.' }],
    tags: Object.entries(tagDescriptions).map(([name, description]) => ({ name, description })),
    paths: shared.paths,
    webhooks,
    components: {
      securitySchemes,
      schemas: schemas.components(),
      headers,
      responses: shared.responses,
    },
  };
}

/** The rules of all operations, in CommonMark. */
const introduction = `Postrider records events and delivers them to webhooks.

JSON in and out, UTF-8, camelCase. Times are ISO 8601 in UTC with milliseconds. Every request has the header
\`Authorization: Bearer <API_KEY>\`, or the session cookie of the dashboard. Live and test data are separate. A key accesses the data
of its mode, and test data is never delivered.

**Lists** are \`{data, hasMore}\`, newest first. \`limit\` is the page size. \`startingAfter\` an id returns the page of older resources,
and \`endingBefore\` the page just before it. A client that reads all pages gets each resource once, also while new resources arrive.

**Rate limits** are requests a second for each account and mode: Free 10, Pro 100, Enterprise an individual number. \`RateLimit\`
in every response to a key contains the rest. Beyond the limit the response is a 429 with \`Retry-After\`.

**Errors** are \`{"error": {"type", "code", "message", "param", "requestId"}}\`. Use the \`code\` in programs. An unknown path is a 404 \`route_not_found\`, and an unsupported method a 405
\`method_not_allowed\` with \`Allow\`. HEAD is supported like GET. Any request can also get a 400 \`http_invalid\`, a 408 \`request_timeout\` or a
431 \`headers_too_large\`, and the connection is then closed. Retry a request only if the page of its code says that it is retryable.

**Compression**: lists and resources of more than 1 KiB are compressed if a GET with an API key has \`Accept-Encoding: gzip\`.

**Examples** are curl commands. They take the address of the service, a key and an id from variables of the shell:
\`export POSTRIDER_URL=… POSTRIDER_API_KEY=sk_live_… ID=…\`.

**Fields** are added to responses without notice, so ignore unknown fields. Unknown fields in a request are rejected.`;

const tagDescriptions: Readonly<Record<Tag, string>> = {
  Events: 'Events and their deliveries to webhooks.',
  Webhooks: 'URLs that receive events of their event types.',
  Replays: 'Repeated deliveries of the events of a time range to a webhook.',
  Account: 'The account and its users.',
  'Sign-in': 'Sessions of users, which the dashboard uses instead of a key.',
  'API keys': 'Full keys of the account, and scoped keys for Enterprise.',
  'Audit log': 'Who changed the account, its keys and its webhooks, and when.',
  Description: 'Descriptions of this API.',
  Operations: 'Operations for operators and monitors, without an API key.',
};

/** @param describe creates the document. It is called at the first request. */
export function openApiRoutes(describe: () => OpenApiDocument): readonly Route[] {
  let response: Promise<HttpResponse> | null = null;
  return [
    publicRoute({
      path: '/openapi.json',
      operationId: 'readOpenApi',
      tag: 'Description',
      summary: 'Read this document',
      description: 'OpenAPI 3.1, for client generators and for validators.',
      response: z.looseObject({ openapi: z.literal('3.1.0') }),
      isCacheable: true,
      handle: () => {
        response ??= cacheableResponse(JSON.stringify(describe()), 'application/json');
        return response;
      },
    }),
  ];
}
