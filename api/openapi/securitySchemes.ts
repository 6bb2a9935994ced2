/** The names of the security schemes in the OpenAPI document. */
export const apiKeyScheme = 'apiKey';
export const sessionScheme = 'session';

export const securitySchemes = {
  [apiKeyScheme]: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key. `sk_live_…` accesses live data, `sk_test_…` test data. A full key has all ' +
      'permissions. A scoped key has the ' +
      'permissions of its scopes. `events:read` lists and retrieves events. `events:write` posts ' +
      'events. `webhooks:read` lists and ' +
      'retrieves webhooks. `webhooks:write` creates, changes and deletes webhooks. `event-types:read` reads event types, ' +
      '`event-types:write` creates, replaces and deletes event types. `tenants:read` reads tenants, ' +
      '`tenants:write` changes tenants and opens portal sessions.',
  },
  [sessionScheme]: {
    type: 'apiKey',
    in: 'cookie',
    name: 'postrider_session',
    description:
      'The session of a user of the dashboard. With https the cookie is named ' +
      '`__Host-postrider_session`. The API uses the session cookie only if the request has no header `Authorization`. The ' +
      'header `Postrider-Mode` is `live` (the default) or `test`. All methods except GET require the ' +
      '`csrfToken` of the session in `Postrider-CSRF`. A viewer has the read scopes, a developer ' +
      'has all scopes except `tenants:write`, and an owner has all ' +
      'permissions. The page `/docs` sends only API keys.',
  },
} as const;
