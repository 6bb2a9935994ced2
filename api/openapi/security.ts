import type { Route } from '../http/route.js';
import type { Operation } from './openApiTypes.js';

export const securitySchemes = {
  apiKey: {
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
  session: {
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

/** What a caller of an operation needs. */
interface Permission {
  readonly security: Operation['security'];
  /** The permission in words, because most OpenAPI tools do not show scopes. */
  readonly text: string;
  /** The options with which curl sends the credentials. */
  readonly curlOptions: readonly string[];
}

const sessionOptions = ['-b "postrider_session=$SESSION"', '-H "Postrider-CSRF: $CSRF"'];
const keyOptions = ['-H "Authorization: Bearer $POSTRIDER_API_KEY"'];

export function permissionOf({ access, audience, scope, otherScope }: Route): Permission {
  if (access === 'anyone') {
    return { security: [], text: 'This operation requires no API key.', curlOptions: [] };
  }
  if (audience === 'sessions' || audience === 'sessions of owners') {
    return {
      security: [{ session: [] }],
      text: 'This operation requires a session of the dashboard.',
      curlOptions: sessionOptions,
    };
  }
  if (audience === 'tenants') {
    return {
      security: [{ apiKey: [] }],
      text: 'This operation requires a portal token, or an API key of a tenant.',
      curlOptions: keyOptions,
    };
  }
  const scopes = [scope, otherScope].filter((each) => typeof each === 'string');
  const named = scopes.map((each) => `\`${each}\``).join(' and ');
  return {
    security: [{ apiKey: scopes }, { session: [] }],
    text:
      scope === null
        ? 'This operation requires a full API key.'
        : `This operation requires a full API key, or an API key with the scope${scopes.length > 1 ? 's' : ''} ${named}.`,
    curlOptions: keyOptions,
  };
}
