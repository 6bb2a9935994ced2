import { z } from 'zod';

import type { Mode } from '../../../shared/domain/core/fact.js';
import { maximumWebhooksPerMode } from '../../../shared/domain/webhooks/webhook.js';
import type { LiveAccountDocument } from '../../../shared/store/models/documents.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import type { RateLimiter } from '../../../shared/store/redis/rateLimiter.js';
import { readAccount } from '../../authentication/callerAccount.js';
import { jsonResponse } from '../../http/response.js';
import {
  authenticatedRoute,
  noBody,
  noQuery,
  type AuthenticatedHandler,
  type Route,
} from '../../http/route.js';
import { timeSchema } from '../../http/schemas.js';
import { rateLimitKey, requestsPerWindow } from '../../middleware/rateLimit.js';
import { csrfTokenExample, sessionUserExample, sessionUserSchema } from '../sessions/routes.js';
import type { WebhookLookup } from '../webhooks/webhookLookup.js';

export interface AccountHandlers {
  readonly retrieve: AuthenticatedHandler<typeof noBody, typeof noQuery>;
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
      audience: 'readers',
      body: noBody,
      query: noQuery,
      successStatus: 200,
      response: accountSchema,
      hasSecret: true,
      errors: [],
      examples: { response: accountExample },
      handle: account.retrieve,
    }),
  ];
}

/** The example response in the OpenAPI document. A test checks the example against its schema. */
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

export const accountSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    plan: z.enum(['free', 'pro', 'enterprise']),
    status: z.enum(['active', 'suspended']),
    created: timeSchema,
    limits: z.object({
      requestsPerSecond: z.number().meta({ description: 'The limit applies to each mode separately.' }),
      webhooks: count.meta({ description: 'The limit applies to each mode separately.' }),
    }),
    usage: z.object({ live: modeUsageSchema, test: modeUsageSchema }),
    session: z
      .object({ user: sessionUserSchema, csrfToken: z.string() })
      .nullable()
      .meta({ description: 'The session of the request, or null for a request with an API key.' }),
  })
  .meta({ id: 'Account' });

interface AccountHandlerDependencies {
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
  readonly webhooks: Pick<WebhookLookup, 'count'>;
  readonly rateLimiter: Pick<RateLimiter, 'used'>;
}

export function createAccountHandlers(dependencies: AccountHandlerDependencies): AccountHandlers {
  const { accounts, webhooks, rateLimiter } = dependencies;

  const usageOf = async (account: LiveAccountDocument, mode: Mode) => {
    const { _id: accountId, apiKeys } = account;
    const [requestsThisSecond, webhookCount] = await Promise.all([
      rateLimiter.used(rateLimitKey({ accountId, mode }), requestsPerWindow(account)),
      webhooks.count({ accountId, mode }),
    ]);
    const keyCount = apiKeys.filter((apiKey) => apiKey.mode === mode).length;
    return { requestsThisSecond, webhooks: webhookCount, apiKeys: keyCount };
  };

  return {
    retrieve: async ({ caller: { accountId, session } }) => {
      const account = await readAccount(accounts, accountId);
      const { name, email, plan, isSuspended, created, requestsPerSecond } = account;
      const [live, test] = await Promise.all([usageOf(account, 'live'), usageOf(account, 'test')]);
      return jsonResponse({
        id: accountId,
        name,
        email,
        plan,
        status: isSuspended ? 'suspended' : 'active',
        created: created.toISOString(),
        limits: { requestsPerSecond, webhooks: maximumWebhooksPerMode },
        usage: { live, test },
        session: session === null ? null : { user: session.user, csrfToken: session.csrfToken },
      });
    },
  };
}
