import { z } from 'zod';

import {
  asPortalOrigin,
  colorSchemes,
  maximumOrigins,
  portalOriginOf,
} from '../../../shared/domain/accounts/portalSettings.js';
import {
  authenticatedRoute,
  noBody,
  noQuery,
  type AuthenticatedHandler,
  type Route,
} from '../../http/route.js';
import { textSchema, timeSchema } from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';
import { csrfTokenExample, planSchema, sessionUserExample, sessionUserSchema } from '../sessions/routes.js';

export interface AccountHandlers {
  readonly retrieve: AuthenticatedHandler<typeof noBody, typeof noQuery>;
  readonly update: AuthenticatedHandler<typeof updateAccountBody, typeof noQuery>;
}

export function accountRoutes(account: AccountHandlers): readonly Route[] {
  return [
    authenticatedRoute({
      method: 'GET',
      path: '/v1/account',
      operationId: 'retrieveAccount',
      tag: 'Account',
      summary: 'Retrieve the account',
      description:
        'Returns the plan, the limits and the usage of the account of the API key or session. ' +
        'This operation requires a key with any read scope, or a session.',
      scope: null,
      tenants: 'forbidden',
      names: null,
      audience: 'readers',
      body: noBody,
      query: noQuery,
      response: accountSchema,
      hasSecret: true,
      errors: [],
      examples: { response: accountExample },
      handle: account.retrieve,
    }),
    authenticatedRoute({
      method: 'PATCH',
      path: '/v1/account',
      operationId: 'updateAccount',
      tag: 'Account',
      summary: 'Change the settings of the account',
      description:
        'Changes the appearance of the customer portal, and the origins of the pages that may embed it. A field of ' +
        '`portal` that is left out does not change. A change of the origins takes effect within a second. This ' +
        'operation requires an owner, or a full live key.',
      scope: null,
      tenants: 'forbidden',
      names: null,
      body: updateAccountBody,
      query: noQuery,
      response: accountSchema,
      hasSecret: true,
      errors: [],
      examples: { body: { portal: portalExample }, response: accountExample },
      handle: account.update,
    }),
  ];
}

/** The examples in the OpenAPI document. A test checks each example against its schema. */

const portalExample = {
  name: 'Shop webhooks',
  logoUrl: 'https://shop.example.com/logo.svg',
  accentColor: '#0a7d55',
  colorScheme: 'auto',
  origins: ['https://shop.example.com'],
};

const accountExample = {
  id: 'acct_01M7YDPTQM04NT3X3AX52TZD0R',
  name: 'Shop',
  email: 'ada@example.com',
  plan: 'pro',
  status: 'active',
  created: '2026-11-21T06:46:40.628Z',
  limits: { requestsPerSecond: 100, webhooks: 100 },
  usage: {
    live: { requestsThisSecond: 1, webhooks: 2, apiKeys: 1 },
    test: { requestsThisSecond: 0, webhooks: 0, apiKeys: 1 },
  },
  portal: portalExample,
  session: { user: sessionUserExample, csrfToken: csrfTokenExample },
};

const count = z.int().min(0);

const modeUsageSchema = z
  .object({
    requestsThisSecond: count.meta({ description: 'Includes this request, in its own mode.' }),
    webhooks: count,
    apiKeys: count.meta({ description: 'The number of API keys, including expired keys.' }),
  })
  .meta({ id: 'ModeUsage' });

const maximumUrlLength = 2048;
const maximumNameLength = 100;
const portalUrlRule = 'scheme https, or http with the host localhost, 127.0.0.1 or [::1]';

const portalFields = {
  name: textSchema(maximumNameLength)
    .regex(/\S/, mustBe('a name, or null'))
    .nullable()
    .meta({ description: 'The name in the portal.' }),
  logoUrl: z
    .string()
    .max(maximumUrlLength, mustBe(`at most ${String(maximumUrlLength)} characters long`))
    .refine((url) => portalOriginOf(url) !== null, mustBe(`a URL with the ${portalUrlRule}`))
    .nullable(),
  accentColor: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/, mustBe('a color such as #0a7d55'))
    .nullable()
    .meta({ description: 'A color as `#rrggbb`. The portal derives shades of it with sufficient contrast.' }),
  colorScheme: z.enum(colorSchemes, mustBe(`one of ${colorSchemes.join(', ')}`)).meta({ id: 'ColorScheme' }),
};

const originSchema = z
  .string()
  .refine(
    (text) => asPortalOrigin(text) !== null,
    mustBe(`an origin such as https://shop.example.com, with the ${portalUrlRule}`),
  );

const originsDescription =
  'The origins of the pages that may embed the portal. Only pages of these origins may use portal sessions from a ' +
  'browser.';

const portalSchema = z
  .object({ ...portalFields, origins: z.array(z.string()).meta({ description: originsDescription }) })
  .meta({ id: 'PortalSettings', description: 'The appearance of the customer portal, and its origins.' });

export const updateAccountBody = z
  .strictObject({
    portal: z
      .strictObject({
        ...portalFields,
        origins: z
          .array(originSchema)
          .max(maximumOrigins, mustBe(`at most ${String(maximumOrigins)} origins`))
          .transform((origins) => [...new Set(origins.map((origin) => asPortalOrigin(origin) ?? origin))])
          .meta({ description: originsDescription }),
      })
      .partial()
      .meta({ id: 'PortalSettingsRequest' })
      .optional(),
  })
  .meta({ id: 'UpdateAccountRequest' });

export const accountSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    plan: planSchema,
    status: z.enum(['active', 'suspended']).meta({ id: 'AccountStatus' }),
    created: timeSchema,
    limits: z
      .object({
        requestsPerSecond: z.number().meta({ description: 'The limit applies to each mode separately.' }),
        webhooks: count.meta({ description: 'The limit applies to each mode separately.' }),
      })
      .meta({ id: 'AccountLimits' }),
    usage: z.object({ live: modeUsageSchema, test: modeUsageSchema }).meta({ id: 'AccountUsage' }),
    portal: portalSchema,
    session: z
      .object({ user: sessionUserSchema, csrfToken: z.string() })
      .meta({ id: 'AccountSession' })
      .nullable()
      .meta({ description: 'The session of the request, or null for a request with an API key.' }),
  })
  .meta({ id: 'Account' });
