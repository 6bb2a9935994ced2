import { randomBytes } from 'node:crypto';

import { isApiError } from '../../../api/http/apiError.js';
import type { Caller } from '../../../api/http/context.js';
import { createReplayCommands } from '../../../api/resources/replays/replayCommands.js';
import { createReplayLookup } from '../../../api/resources/replays/replayLookup.js';
import { createTenantLookup } from '../../../api/resources/tenants/tenantLookup.js';
import { createUserCommands } from '../../../api/resources/users/userCommands.js';
import { createWebhookCommands } from '../../../api/resources/webhooks/webhookCommands.js';
import { createWebhookLookup } from '../../../api/resources/webhooks/webhookLookup.js';
import { createWebhookTenants } from '../../../api/resources/webhooks/webhookTenants.js';
import type { Stores } from '../../../cli/environment/stores.js';
import { createCommandRunner } from '../../../shared/commands/commandRunner.js';
import { UnknownOutcomeError } from '../../../shared/core/errors.js';
import { createRandom } from '../../../shared/core/random.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { freshIdentity } from '../../../shared/domain/core/requestIdentity.js';
import type { WebhookSettings } from '../../../shared/domain/webhooks/webhook.js';
import { createEventBoundary } from '../../../shared/log/client/eventBoundary.js';
import type { LogAppender, TogetherAppended } from '../../../shared/log/producer/producer.js';
import { createSecretBox } from '../../../shared/security/secretBox.js';
import { createLeases } from '../../../shared/store/coordination/leases.js';
import { createEndWebhooks } from '../../../shared/tenants/endWebhooks.js';
import { createTenantCommands } from '../../../shared/tenants/tenantCommands.js';
import { testActor } from '../../support/facts.js';
import type { SharedService } from '../../support/service.js';

export const settings: WebhookSettings = {
  url: 'https://example.com/hook',
  events: ['never'],
  description: null,
  name: null,
};

const identifiers = createIdentifiers(createRandom());

export const clock = () => new Date();

export const fresh = () => freshIdentity(clock(), identifiers, randomBytes);

/** A log that delays records until the test releases them, long after their caller has given up. */
export function delayedLog(log: LogAppender) {
  let late: TogetherAppended | null = null;
  const appendTogether: LogAppender['appendTogether'] = (records) => {
    late = records;
    return Promise.reject(new UnknownOutcomeError('no acknowledgement in time'));
  };
  return {
    log: { append: (record) => appendTogether([record]), appendTogether } satisfies LogAppender,
    arrive: async () => {
      await (late === null ? Promise.reject(new Error('nothing was appended')) : log.appendTogether(late));
    },
  };
}

/** The commands of a process with its own leases. */
export function startProcess(
  stores: Stores,
  { config }: Pick<SharedService, 'config'>,
  log: LogAppender = stores.log,
) {
  const { models, offsets, progress } = stores;
  const runner = createCommandRunner({
    ...{ log, offsets, progress, clock, readModelMs: config.deadlines.readModelMs },
    leases: createLeases(stores.mongo.database),
  });
  const eventBoundary = createEventBoundary({ offsets, boundaryIds: () => Promise.resolve([]) });
  const webhooks = createWebhookLookup(models.webhooks);
  const tenants = createWebhookTenants(models.tenants);
  return {
    users: createUserCommands({ runner, accounts: models.accounts }),
    webhooks: createWebhookCommands({
      ...{ runner, eventBoundary, tenants },
      lookup: webhooks,
      secretBox: createSecretBox(config.encryptionKeys),
    }),
    replays: createReplayCommands({
      ...{ runner, webhooks, tenants },
      auditTrail: { record: () => Promise.resolve() },
      lookup: createReplayLookup(models.replays),
      replays: models.replays,
    }),
    tenants: createTenantCommands({
      ...{ runner, eventBoundary },
      find: createTenantLookup(models.tenants).find,
      apiKeys: models.tenantApiKeys,
      endWebhooks: createEndWebhooks({ log, webhooks: models.webhooks, progress: progress.webhooks }),
    }),
  };
}

export function callerOf(accountId: string): Caller {
  return {
    ...{ accountId, mode: 'live', plan: 'enterprise', requestsPerSecond: 1000, scopes: null },
    ...{ isSuspended: false, expiresAt: null, actor: testActor, session: null, tenant: null },
  };
}

/** Whether a command has succeeded, or the reason why not. */
export async function outcomeOf(command: Promise<object>): Promise<string> {
  try {
    const outcome = await command;
    return isApiError(outcome) ? outcome.errorCode : 'done';
  } catch (error) {
    return error instanceof UnknownOutcomeError ? 'unknown' : String(error);
  }
}
