import { defaultPortalSettings } from '../../../shared/domain/accounts/portalSettings.js';
import type { Mode } from '../../../shared/domain/core/fact.js';
import { maximumWebhooksOfTenant } from '../../../shared/domain/webhooks/webhook.js';
import type { LiveAccountDocument } from '../../../shared/store/models/documents.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import type { RateLimiter } from '../../../shared/store/redis/rateLimiter.js';
import { readAccount } from '../../authentication/callerAccount.js';
import type { Caller } from '../../http/context.js';
import { jsonResponse } from '../../http/response.js';
import { insufficientScope } from '../../middleware/authorization.js';
import { rateLimitKey, requestsPerWindow } from '../../middleware/rateLimit.js';
import type { WebhookLookup } from '../webhooks/webhookLookup.js';
import type { AccountCommands } from './accountCommands.js';
import type { AccountHandlers } from './routes.js';

export interface AccountHandlerDependencies {
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
  readonly commands: AccountCommands;
  readonly webhooks: Pick<WebhookLookup, 'count'>;
  readonly rateLimiter: Pick<RateLimiter, 'used'>;
}

export function createAccountHandlers(dependencies: AccountHandlerDependencies): AccountHandlers {
  const { accounts, commands, webhooks, rateLimiter } = dependencies;

  const usageOf = async (account: LiveAccountDocument, mode: Mode) => {
    const { _id: accountId, apiKeys } = account;
    const [requestsThisSecond, webhookCount] = await Promise.all([
      rateLimiter.used(rateLimitKey({ accountId, mode }), requestsPerWindow(account)),
      webhooks.count({ accountId, mode }, { tenantId: null, tenancy: null }),
    ]);
    const keyCount = apiKeys.filter((apiKey) => apiKey.mode === mode).length;
    return { requestsThisSecond, webhooks: webhookCount, apiKeys: keyCount };
  };

  const responseFor = async ({ accountId, session }: Caller) => {
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
      limits: { requestsPerSecond, webhooks: maximumWebhooksOfTenant },
      usage: { live, test },
      portal: account.portal ?? defaultPortalSettings,
      session: session === null ? null : { user: session.user, csrfToken: session.csrfToken },
    });
  };

  return {
    retrieve: ({ caller }) => responseFor(caller),

    update: async ({ caller, body: { portal }, identity }) => {
      if (caller.mode === 'test' && caller.session === null) {
        return liveKeyRequired;
      }
      if (portal !== undefined) {
        await commands.changePortal(caller, portal, identity);
      }
      return responseFor(caller);
    },
  };
}

const liveKeyRequired = insufficientScope(
  'The settings of the account apply to both modes, and a test key can change only test data. Use a full live key.',
);
