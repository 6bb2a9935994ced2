import { z } from 'zod';

import { capabilities } from '../../../shared/domain/accounts/permissions.js';
import { longestPortalSessionSeconds } from '../../../shared/store/redis/portalSessions.js';
import {
  authenticatedRoute,
  noBody,
  noQuery,
  type AuthenticatedHandler,
  type Route,
} from '../../http/route.js';
import { modeSchema, timeSchema } from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';

export interface PortalSessionHandlers {
  readonly create: AuthenticatedHandler<typeof createPortalSessionBody, typeof noQuery>;
  readonly revoke: AuthenticatedHandler<typeof noBody, typeof noQuery>;
  readonly retrieve: AuthenticatedHandler<typeof noBody, typeof noQuery>;
}

const tag = 'Customer portal';

export function portalSessionRoutes(portalSessions: PortalSessionHandlers): readonly Route[] {
  return [
    createPortalSession(portalSessions),
    revokePortalSessions(portalSessions),
    retrievePortalSession(portalSessions),
  ];
}

function createPortalSession({ create }: PortalSessionHandlers): Route {
  return authenticatedRoute({
    method: 'POST',
    path: '/v1/tenants/:id/portal-sessions',
    operationId: 'createPortalSession',
    tag,
    summary: 'Open a portal session',
    description:
      'Opens a session of the customer portal for one tenant, and returns its URL and token. Embed the URL in a page of ' +
      'one of the origins in `portal.origins` of the account, or give it to the customer as a link. The token is also ' +
      'a Bearer credential for the API, with 20 requests per second. A tenant has at most 1,000 sessions. Beyond that, ' +
      'the session that expires first ends.',
    scope: 'tenants:write',
    tenants: 'forbidden',
    names: 'tenant',
    body: createPortalSessionBody,
    bodyIsOptional: true,
    query: noQuery,
    successStatus: 201,
    response: createdPortalSessionSchema,
    hasSecret: true,
    errors: ['resource_missing', 'service_unavailable'],
    examples: {
      body: { expiresIn: 3600, capabilities: ['webhooks:read', 'webhooks:write'] },
      response: createdExample,
    },
    handle: create,
  });
}

function revokePortalSessions({ revoke }: PortalSessionHandlers): Route {
  return authenticatedRoute({
    method: 'DELETE',
    path: '/v1/tenants/:id/portal-sessions',
    operationId: 'deletePortalSessions',
    tag,
    summary: 'End the portal sessions of a tenant',
    description: 'Ends all portal sessions of a tenant within a second, on every process.',
    scope: 'tenants:write',
    tenants: 'forbidden',
    names: 'tenant',
    body: noBody,
    query: noQuery,
    response: revokedPortalSessionsSchema,
    errors: ['resource_missing', 'service_unavailable'],
    examples: { response: { revoked: 3 } },
    handle: revoke,
  });
}

function retrievePortalSession({ retrieve }: PortalSessionHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/portal-session',
    operationId: 'retrievePortalSession',
    tag,
    summary: 'Retrieve the own portal session',
    description: 'Returns the tenant, the capabilities and the expiry of the portal token of this request.',
    scope: null,
    audience: 'tenants',
    tenants: 'shared',
    names: null,
    body: noBody,
    query: noQuery,
    response: portalSessionSchema,
    errors: [],
    examples: { response: sessionExample },
    handle: retrieve,
  });
}

/** The examples in the OpenAPI document. A test checks each example against its schema. */

const createdExample = {
  url:
    'https://postrider.example.com/portal/acct_01M7YDPTQM04NT3X3AX52TZD0R' +
    '#token=pst_gIcb-9k2wT15t4UL4KpIHOOeqs6ta56AvpMBJ0nnobw',
  token: 'pst_gIcb-9k2wT15t4UL4KpIHOOeqs6ta56AvpMBJ0nnobw',
  expiresAt: '2026-11-21T07:46:40.628Z',
};

const sessionExample = {
  accountId: 'acct_01M7YDPTQM04NT3X3AX52TZD0R',
  tenant: { id: 'customer-42', name: 'Acme' },
  mode: 'live',
  capabilities: ['webhooks:read', 'webhooks:write'],
  expiresAt: '2026-11-21T07:46:40.628Z',
};

const leastSeconds = 60;
const defaultSeconds = 3600;

const capabilitySchema = z.enum(capabilities, mustBe(`one of ${capabilities.join(', ')}`)).meta({
  id: 'PortalCapability',
});

export const createPortalSessionBody = z
  .strictObject({
    expiresIn: z
      .int(mustBe('a whole number'))
      .min(leastSeconds, mustBe(`at least ${String(leastSeconds)}`))
      .max(longestPortalSessionSeconds, mustBe(`at most ${String(longestPortalSessionSeconds)}`))
      .default(defaultSeconds)
      .meta({ description: 'The validity of the session, in seconds.' }),
    capabilities: z
      .array(capabilitySchema)
      .transform((given) => [...new Set(given)])
      .default([...capabilities])
      .meta({
        description:
          'The permissions of the session: all of them by default. With `events:write` a customer can resend events, ' +
          'but not post them. An empty list permits only to read the event types.',
      }),
  })
  .meta({ id: 'CreatePortalSessionRequest' });

export const createdPortalSessionSchema = z
  .object({
    url: z.string().meta({ description: 'The URL of the portal, with the token in its fragment.' }),
    token: z.string(),
    expiresAt: timeSchema,
  })
  .meta({
    id: 'CreatedPortalSession',
    description: 'A portal session. No other response contains the token.',
  });

const revokedPortalSessionsSchema = z
  .object({ revoked: z.int().min(0).meta({ description: 'The number of sessions that had not expired.' }) })
  .meta({ id: 'RevokedPortalSessions' });

export const portalSessionSchema = z
  .object({
    accountId: z.string(),
    tenant: z.object({ id: z.string(), name: z.string().nullable() }).meta({ id: 'PortalTenant' }),
    mode: modeSchema,
    capabilities: z.array(capabilitySchema),
    expiresAt: timeSchema.nullable(),
  })
  .meta({ id: 'PortalSession' });
