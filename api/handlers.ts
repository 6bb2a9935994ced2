import type { CommandRunner } from '../shared/commands/commandRunner.js';
import type { Clock } from '../shared/core/clock.js';
import type { Logger } from '../shared/core/logger.js';
import type { Identifiers } from '../shared/domain/core/identifiers.js';
import type { GroupOffsets } from '../shared/log/client/groupOffsets.js';
import type { TopicOffsets } from '../shared/log/client/topicOffsets.js';
import type { LogAppender } from '../shared/log/producer/producer.js';
import type { Metrics } from '../shared/runtime/metrics.js';
import type { Readiness } from '../shared/runtime/readiness.js';
import type { Passwords } from '../shared/security/passwords.js';
import type { EncryptionKey, SecretBox } from '../shared/security/secretBox.js';
import type { LastUsed } from '../shared/store/coordination/lastUsed.js';
import type { ModelProgress } from '../shared/store/models/modelProgress.js';
import type { ReadModels } from '../shared/store/models/readModels.js';
import { createReplayCounts } from '../shared/store/queries/replayCounts.js';
import type { RateLimiter } from '../shared/store/redis/rateLimiter.js';
import type { Sessions } from '../shared/store/redis/sessions.js';
import type { SignInThrottle } from '../shared/store/redis/signInThrottle.js';
import type { StreamSlots } from '../shared/store/redis/streamSlots.js';
import type { AuditTrail } from './auditTrail/auditTrail.js';
import { createCheckCredentials } from './authentication/credentials.js';
import { createDeviceCookie } from './authentication/deviceCookie.js';
import type { SessionCookie } from './authentication/sessionCookie.js';
import { createAccountHandlers } from './resources/account/routes.js';
import { createApiKeyCommands } from './resources/apiKeys/apiKeyCommands.js';
import { createApiKeyHandlers } from './resources/apiKeys/handlers.js';
import { createAttemptHandlers } from './resources/attempts/handlers.js';
import { createAuditHandlers } from './resources/audit/handlers.js';
import { createEventStreamHandlers } from './resources/eventStream/routes.js';
import { createEventLookup } from './resources/events/eventLookup.js';
import { createEventHandlers } from './resources/events/handlers.js';
import { createResend } from './resources/events/resend.js';
import { createOperationHandlers } from './resources/operations/routes.js';
import { createReplayHandlers } from './resources/replays/handlers.js';
import { createReplayCommands } from './resources/replays/replayCommands.js';
import { createReplayLookup } from './resources/replays/replayLookup.js';
import { createSelectableEvents } from './resources/replays/selectableEvents.js';
import { createSessionHandlers } from './resources/sessions/handlers.js';
import { createLinkRedemptions } from './resources/sessions/redeemLink.js';
import { createSignIn } from './resources/sessions/signIn.js';
import { createStatsHandlers } from './resources/stats/handlers.js';
import { createUserHandlers } from './resources/users/handlers.js';
import { createUserCommands } from './resources/users/userCommands.js';
import { createWebhookHandlers } from './resources/webhooks/handlers.js';
import { createSendTest } from './resources/webhooks/sendTest.js';
import { createWebhookCommands } from './resources/webhooks/webhookCommands.js';
import { createWebhookLookup, type WebhookLookup } from './resources/webhooks/webhookLookup.js';
import type { WebhookUrlRules } from './resources/webhooks/webhookUrl.js';
import type { Handlers } from './routes.js';
import type { UnsentBytes } from './server/unsentBytes.js';

export interface HandlerDependencies {
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly randomBytes: (count: number) => Buffer;
  readonly log: LogAppender;
  readonly offsets: TopicOffsets;
  readonly groups: Pick<GroupOffsets, 'committed'>;
  /** The consumer group of first attempts. */
  readonly deliveryGroup: string;
  /** The number of partitions of each topic. */
  readonly partitions: number;
  readonly models: ReadModels;
  /** The progress of the read model `events`. */
  readonly eventsProgress: ModelProgress;
  readonly commandRunner: CommandRunner;
  readonly auditTrail: AuditTrail;
  readonly lastUsed: LastUsed;
  readonly sessions: Sessions;
  readonly signInThrottle: SignInThrottle;
  readonly streamSlots: StreamSlots;
  readonly rateLimiter: Pick<RateLimiter, 'used'>;
  readonly passwords: Passwords;
  readonly secretBox: SecretBox;
  /** The encryption keys (`POSTRIDER_ENCRYPTION_KEYS`). The API derives the signing keys of device cookies from them. */
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly urlRules: WebhookUrlRules;
  /** The age at which an event is removed, in milliseconds, or null if events are never removed. */
  readonly eventExpiryMs: number | null;
  /** The URL under which users reach the service. */
  readonly publicUrl: string;
  readonly cookie: SessionCookie;
  readonly unsentBytes: UnsentBytes;
  /** A signal that is aborted when the API process stops, so that event streams end. */
  readonly stopping: AbortSignal;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  /** Whether another port serves the metrics and the details of readiness. */
  readonly hasMetricsPort: boolean;
  readonly logger: Logger;
}

/** The handlers of all operations, with the lookups that several of them share. */
export function createHandlers(dependencies: HandlerDependencies): Handlers {
  const { clock, models, metrics, readiness, hasMetricsPort, rateLimiter } = dependencies;
  const { accounts, attempts, audit, events, stats } = models;
  const expiry = { expiryMs: dependencies.eventExpiryMs, clock };
  const eventLookup = createEventLookup({ ...dependencies, events, progress: dependencies.eventsProgress });
  const webhookLookup = createWebhookLookup(models.webhooks);
  return {
    events: createEventHandlers({
      ...dependencies,
      ...{ events, expiry, lookup: eventLookup },
      resend: createResend({
        ...dependencies,
        runner: dependencies.commandRunner,
        ...{ lookup: eventLookup, webhooks: models.webhooks },
      }),
    }),
    eventStream: createEventStreamHandlers({ ...dependencies, events, lookup: eventLookup }),
    webhooks: createWebhooks(dependencies, webhookLookup),
    attempts: createAttemptHandlers({ attempts, expiry, events: eventLookup, webhooks: webhookLookup }),
    replays: createReplays(dependencies, webhookLookup),
    account: createAccountHandlers({ accounts, rateLimiter, webhooks: webhookLookup }),
    ...createIdentities(dependencies),
    audit: createAuditHandlers(audit),
    stats: createStatsHandlers({ stats, clock }),
    operations: createOperationHandlers(readiness, hasMetricsPort ? null : metrics),
  };
}

function createWebhooks(dependencies: HandlerDependencies, lookup: WebhookLookup): Handlers['webhooks'] {
  return createWebhookHandlers({
    commands: createWebhookCommands({ ...dependencies, runner: dependencies.commandRunner, lookup }),
    webhooks: dependencies.models.webhooks,
    lookup,
    sendTest: createSendTest({ ...dependencies, lookup }),
    urlRules: dependencies.urlRules,
    secretBox: dependencies.secretBox,
    clock: dependencies.clock,
  });
}

function createReplays(dependencies: HandlerDependencies, webhooks: WebhookLookup): Handlers['replays'] {
  const { models, commandRunner: runner, auditTrail, eventsProgress: progress } = dependencies;
  const { events, replays } = models;
  const lookup = createReplayLookup(replays);
  return createReplayHandlers({
    ...{ replays, lookup, webhooks },
    commands: createReplayCommands({ runner, auditTrail, lookup, webhooks, replays }),
    selectable: createSelectableEvents({ ...dependencies, events, progress }),
    counts: createReplayCounts(events),
  });
}

/** The handlers of API keys, users and sessions. */
function createIdentities(
  dependencies: HandlerDependencies,
): Pick<Handlers, 'apiKeys' | 'users' | 'sessions'> {
  const { commandRunner: runner, passwords, signInThrottle: throttle, publicUrl } = dependencies;
  const { accounts } = dependencies.models;
  const deviceCookie = createDeviceCookie({ ...dependencies, isSecure: publicUrl.startsWith('https:') });
  const checkCredentials = createCheckCredentials(accounts, passwords);
  return {
    apiKeys: createApiKeyHandlers({
      ...dependencies,
      accounts,
      commands: createApiKeyCommands({ runner, accounts }),
    }),
    users: createUserHandlers({
      ...dependencies,
      accounts,
      commands: createUserCommands({ runner, accounts }),
    }),
    sessions: createSessionHandlers({
      ...dependencies,
      ...{ deviceCookie, throttle },
      signIn: createSignIn({ throttle, deviceCookie, checkCredentials }),
      linkRedemptions: createLinkRedemptions({ runner, accounts }),
    }),
  };
}
