import type { Route } from '../route.js';
import { headers } from './headers.js';
import { introduction, tagDescriptions } from './introduction.js';
import type { OpenApiDocument, PathItem } from './openApi.js';
import { apiKeyScheme, operationOf, pathTemplate, sessionScheme } from './operation.js';
import { createSchemaCollection } from './schemaCollection.js';
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
