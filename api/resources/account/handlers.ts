import type { Mode } from '../../../shared/domain/core/fact.js';
import { maximumWebhooksPerMode } from '../../../shared/domain/webhooks/webhook.js';
import type { LiveAccountDocument } from '../../../shared/store/models/documents.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import type { RateLimiter } from '../../../shared/store/redis/rateLimiter.js';
import { readAccount } from '../../authentication/account.js';
import { jsonResponse } from '../../http/response.js';
import { rateLimitKey, requestsPerWindow } from '../../middleware/rateLimit.js';
import type { WebhookLookup } from '../webhooks/webhookLookup.js';
import type { AccountHandlers } from './routes.js';

export interface AccountHandlerDependencies {
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
