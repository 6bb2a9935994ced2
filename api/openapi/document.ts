import type { Route, Tag } from '../http/route.js';
import { createSchemaCollection } from './componentSchemas.js';
import { headers } from './headers.js';
import type { OpenApiDocument, PathItem } from './openApiTypes.js';
import { apiKeyScheme, operationOf, pathTemplate, sessionScheme } from './operation.js';
import { webhookPayload } from './webhookPayload.js';

/** The OpenAPI document of a route table. */
export function createDocument(routes: readonly Route[]): OpenApiDocument {
  const schemas = createSchemaCollection();
  const paths: Record<string, PathItem> = {};
  for (const route of routes.filter(({ isUndescribed }) => isUndescribed !== true)) {
    const path = pathTemplate(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, schemas) };
  }
  const webhooks = { event: { post: webhookPayload(schemas) } };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postrider',
      version: '1',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this document comes from.' }],
    tags: Object.entries(tagDescriptions).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: { [apiKeyScheme]: ofKeys, [sessionScheme]: ofSessions },
      schemas: schemas.components(),
      headers,
    },
  };
}

const ofKeys = {
  type: 'http',
  scheme: 'bearer',
  description:
    'An API key: `sk_live_…` sees and writes live data, `sk_test_…` test data. A full key may do everything; a scoped key what its ' +
    'scopes permit: `events:read` lists and retrieves events, `events:write` posts them, `webhooks:read` lists and retrieves ' +
    'webhooks, `webhooks:write` creates, changes and deletes them.',
};

const ofSessions = {
  type: 'apiKey',
  in: 'cookie',
  name: 'postrider_session',
  description:
    'The session of a person who is signed in to the dashboard; where the service is reached by https, the cookie is called ' +
    '`__Host-postrider_session`. It is looked at where a request has no `Authorization`. The header `Postrider-Mode` says `live` (also ' +
    'where it is left out) or `test`, and all but GET need the `csrfToken` of the session in `Postrider-CSRF`. A viewer has the scopes ' +
    'to read, a developer all scopes, and an owner may do everything.',
};

/** What holds for every operation, in CommonMark. */
const introduction = `Postrider records events and delivers them to webhooks.

JSON in and out, UTF-8, camelCase. Times are ISO 8601 in UTC with milliseconds. Every request has the header
\`Authorization: Bearer <API_KEY>\`, or the cookie of a person who is signed in to the dashboard. Live and test data are apart: a key sees
and writes those of its mode, and test data is never delivered.

**Lists** are \`{data, hasMore}\`, newest first. \`limit\` says how many; \`startingAfter\` an id gives the page of older ones,
\`endingBefore\` the page just before it. A walk to the end of a list gives each resource once, also while new ones arrive.

**Rate limits** are requests a second for each account and mode: Free 10, Pro 100, Enterprise a number of its own. Every answer to a key
says in \`RateLimit\` what is left. Beyond it is a 429 with \`Retry-After\`.

**Errors** are \`{"error": {"type", "code", "message", "param", "requestId"}}\`. Programs go by the \`code\`. A path that does not exist is a 404 \`route_not_found\`, a method that a path does not take a 405
\`method_not_allowed\` with \`Allow\`. HEAD is served wherever GET is. Any request can also get a 400 \`http_invalid\`, a 408 \`request_timeout\` or a
431 \`headers_too_large\`, and the connection is closed then. Send a request again only if the page of its code says that it is retryable.

**Compression**: lists and resources of more than 1 KiB are compressed if a GET with an API key has \`Accept-Encoding: gzip\`.

**Fields** are added to answers without notice: ignore what you do not know. What is unknown in a request is refused.`;

const tagDescriptions: Readonly<Record<Tag, string>> = {
  Events: 'What happened, and what became of it at each webhook.',
  Webhooks: 'URLs that get the events of the types that they ask for.',
  Replays: 'Events of a span of time, delivered to a webhook again.',
  Account: 'The account itself, and the people who may sign in to its dashboard.',
  'Sign-in': 'Sessions of people: what the dashboard uses in the place of a key.',
  'API keys': 'Keys of the account: full ones, and for Enterprise ones with scopes.',
  'Audit log': 'Who changed the account, its keys and its webhooks, and when.',
  Description: 'What describes this API.',
  Operations: 'What operators and their machines ask a process. Without an API key.',
};
