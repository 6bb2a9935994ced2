import type { CommandRunner } from '../shared/commands/commandRunner.js';
import { createSharedTurns } from '../shared/concurrency/sharedTurns.js';
import type { Clock } from '../shared/core/clock.js';
import type { Logger } from '../shared/core/logger.js';
import type { Identifiers } from '../shared/domain/core/identifiers.js';
import { createFilters, type Filters } from '../shared/filters/filters.js';
import type { BoundaryIds } from '../shared/log/client/boundaryIds.js';
import type { EventBoundary } from '../shared/log/client/eventBoundary.js';
import type { TopicOffsets } from '../shared/log/client/topicOffsets.js';
import type { LogAppender } from '../shared/log/producer/producer.js';
import type { Metrics } from '../shared/runtime/metrics.js';
import type { Readiness } from '../shared/runtime/readiness.js';
import type { Passwords } from '../shared/security/passwords.js';
import type { EncryptionKey, SecretBox } from '../shared/security/secretBox.js';
import type { ItemReservations } from '../shared/store/coordination/itemReservations.js';
import type { LastUsed } from '../shared/store/coordination/lastUsed.js';
import type { ModelProgress } from '../shared/store/models/modelProgress.js';
import type { ReadModels } from '../shared/store/models/readModels.js';
import type { Searches } from '../shared/store/queries/readsWithinShares.js';
import { createReplayCounts } from '../shared/store/queries/replayCounts.js';
import type { RateLimiter } from '../shared/store/redis/rateLimiter.js';
import type { PortalSessions } from '../shared/store/redis/portalSessions.js';
import type { Sessions } from '../shared/store/redis/sessions.js';
import type { SignInThrottle } from '../shared/store/redis/signInThrottle.js';
import type { StreamSlots } from '../shared/store/redis/streamSlots.js';
import type { TenantCommands } from '../shared/tenants/tenantCommands.js';
import type { AuditTrail } from './auditTrail/auditTrail.js';
import { createCheckCredentials } from './authentication/credentials.js';
import { createDeviceCookie } from './authentication/deviceCookie.js';
import type { TakenUp } from './catchUp/takenUp.js';
import type { SessionCookie } from './authentication/sessionCookie.js';
import type { RetryStore } from './idempotency/storeRetries.js';
import { createPortalPages } from './portal/portalPages.js';
import { createAccountCommands } from './resources/account/accountCommands.js';
import { createAccountHandlers } from './resources/account/handlers.js';
import { createApiKeyCommands } from './resources/apiKeys/apiKeyCommands.js';
import { createApiKeyHandlers } from './resources/apiKeys/handlers.js';
import { createTenantApiKeyCommands } from './resources/apiKeys/tenantApiKeyCommands.js';
import { createTenantApiKeys } from './resources/apiKeys/tenantApiKeys.js';
import { createAttemptHandlers } from './resources/attempts/handlers.js';
import { createAuditHandlers } from './resources/audit/handlers.js';
import { createEventStreamHandlers } from './resources/eventStream/routes.js';
import type { EventChecks } from './eventTypes/eventCheck.js';
import type { SchemaWorkers } from './eventTypes/worker/schemaWorkers.js';
import { createEventCatalog } from './resources/eventTypes/catalog/eventCatalog.js';
import { createReadDefinition } from './resources/eventTypes/definition.js';
import { createDryRun } from './resources/eventTypes/dryRun.js';
import { createEventTypeCommands } from './resources/eventTypes/eventTypeCommands.js';
import { createEventTypeLookup } from './resources/eventTypes/eventTypeLookup.js';
import { createEventTypeHandlers } from './resources/eventTypes/handlers.js';
import { createEventTypeUsages } from './resources/eventTypes/usage.js';
import { eventSelection } from './resources/events/eventFilter.js';
import { createEventLookup, type EventLookup } from './resources/events/eventLookup.js';
import { createEventHandlers } from './resources/events/handlers.js';
import { defaultScanLimits } from './scans/scanSlices.js';
import { createRecordedEvents, type RecordedEvents } from './eventTypes/recordedEvents.js';
import { createResend } from './resources/events/resend.js';
import { createOperationHandlers } from './resources/operations/routes.js';
import { createPortalSessionHandlers } from './resources/portalSessions/handlers.js';
import { createReplayHandlers } from './resources/replays/handlers.js';
import { createPostHandlers } from './resources/postedEvents/postedHandlers.js';
import { createPostEvents } from './resources/postedEvents/postEvents.js';
import type { PostHandlers } from './resources/postedEvents/postRoutes.js';
import { createReplayCommands } from './resources/replays/replayCommands.js';
import { createReplayLookup } from './resources/replays/replayLookup.js';
import { createSelectableEvents } from './resources/replays/selectableEvents.js';
import { createSessionHandlers } from './resources/sessions/handlers.js';
import { createLinkRedemptions } from './resources/sessions/redeemLink.js';
import { createSignIn } from './resources/sessions/signIn.js';
import { createStatsHandlers } from './resources/stats/handlers.js';
import { createTenantHandlers } from './resources/tenants/handlers.js';
import { createTenantLookup, type TenantLookup } from './resources/tenants/tenantLookup.js';
import { createUserHandlers } from './resources/users/handlers.js';
import { createUserCommands } from './resources/users/userCommands.js';
import { createWebhookHandlers } from './resources/webhooks/handlers.js';
import { createSendTest } from './resources/webhooks/sendTest.js';
import { createWebhookCommands } from './resources/webhooks/webhookCommands.js';
import { createPreviewHandlers } from './resources/webhooks/previewHandlers.js';
import { createPreviewHistory } from './resources/webhooks/previewHistory.js';
import { createHealthHandlers } from './resources/webhooks/healthRoutes.js';
import { createWebhookHealth, type WebhookHealthDependencies } from './resources/webhooks/webhookHealth.js';
import { createWebhookLookup, type WebhookLookup } from './resources/webhooks/webhookLookup.js';
import { createWebhookTenants } from './resources/webhooks/webhookTenants.js';
import type { WebhookUrlRules } from './resources/webhooks/webhookUrl.js';
import type { Handlers } from './routes.js';
import type { UnsentBytes } from './server/unsentBytes.js';

export interface HandlerDependencies {
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly randomBytes: (count: number) => Buffer;
  readonly log: LogAppender;
  readonly offsets: TopicOffsets;
  readonly takenUp: TakenUp;
  readonly boundaryIds: BoundaryIds;
  readonly eventBoundary: () => Promise<EventBoundary>;
  /** The number of partitions of each topic. */
  readonly partitions: number;
  readonly models: ReadModels;
  readonly deliveryHealth: WebhookHealthDependencies['deliveryHealth'];
  /** The reservations of the idempotency keys in batches. */
  readonly itemReservations: ItemReservations;
  readonly retryStore: RetryStore;
  /** Searches in the data of events. */
  readonly searches: Searches;
  /** The progress of the read model `events`. */
  readonly eventsProgress: ModelProgress;
  readonly commandRunner: CommandRunner;
  readonly tenantCommands: (lookup: Pick<TenantLookup, 'find'>) => TenantCommands;
  readonly schemaWorkers: Pick<SchemaWorkers, 'validate' | 'checkSome'>;
  /** The checks of posted events. */
  readonly checks: EventChecks;
  readonly auditTrail: AuditTrail;
  readonly lastUsed: LastUsed;
  readonly sessions: Sessions;
  readonly portalSessions: PortalSessions;
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

/** The time after which the preview of a filter ends with the events that it has checked, in milliseconds. */
const maximumPreviewMs = 5000;

/** The handlers of all operations, with the lookups that several of them share. */
export function createHandlers(dependencies: HandlerDependencies): Handlers {
  const { clock, models, metrics, readiness, hasMetricsPort, rateLimiter } = dependencies;
  const { accounts, attempts, audit, events, stats } = models;
  const expiry = { expiryMs: dependencies.eventExpiryMs, clock };
  const eventLookup = createEventLookup({ ...dependencies, events, progress: dependencies.eventsProgress });
  const webhookLookup = createWebhookLookup(models.webhooks);
  const filters = createFilters({ turns: createSharedTurns(), seconds: metrics.filterSeconds });
  const recorded = createRecordedEvents({ ...dependencies, events, progress: dependencies.eventsProgress });
  return {
    events: {
      ...createPosts(dependencies, recorded),
      ...createEventHandlers({
        ...dependencies,
        events,
        expiry,
        recorded,
        lookup: eventLookup,
        limits: defaultScanLimits,
        resend: createResend({
          ...dependencies,
          runner: dependencies.commandRunner,
          lookup: eventLookup,
          webhooks: models.webhooks,
        }),
      }),
    },
    eventStream: createEventStreamHandlers({ ...dependencies, events, lookup: eventLookup }),
    eventTypes: createEventTypes(dependencies),
    ...createWebhooks(dependencies, webhookLookup),
    preview: createPreview(dependencies, { lookup: webhookLookup, events: eventLookup, filters }),
    attempts: createAttemptHandlers({
      attempts,
      expiry,
      limits: defaultScanLimits,
      events: eventLookup,
      webhooks: webhookLookup,
      deliveries: events,
      progress: dependencies.eventsProgress,
    }),
    replays: createReplays(dependencies, webhookLookup, filters),
    account: createAccountHandlers({
      accounts,
      rateLimiter,
      webhooks: webhookLookup,
      commands: createAccountCommands({ runner: dependencies.commandRunner, accounts }),
    }),
    ...createIdentities(dependencies),
    audit: createAuditHandlers(audit),
    stats: createStatsHandlers({
      stats,
      clock,
      tenants: models.tenants,
      tenantOfWebhook: webhookLookup.tenantOf,
    }),
    tenants: createTenants(dependencies),
    operations: createOperationHandlers(readiness, hasMetricsPort ? null : metrics),
    portalSessions: createPortalSessionHandlers({
      ...dependencies,
      accounts,
      tenants: models.tenants,
      runner: dependencies.commandRunner,
    }),
    portalPages: createPortalPages(accounts, () => performance.now()),
  };
}

function createPosts(dependencies: HandlerDependencies, recorded: RecordedEvents): PostHandlers {
  return createPostHandlers(createPostEvents({ ...dependencies, recorded }));
}

function createEventTypes(dependencies: HandlerDependencies): Handlers['eventTypes'] {
  const { models, commandRunner: runner, schemaWorkers: workers, eventsProgress: progress } = dependencies;
  const { events, eventTypes } = models;
  const lookup = createEventTypeLookup(eventTypes);
  const now = () => performance.now();
  return createEventTypeHandlers({
    eventTypes,
    lookup,
    commands: createEventTypeCommands({ runner, lookup }),
    readDefinition: createReadDefinition(workers),
    dryRun: createDryRun({ events, workers, progress, now, offsets: dependencies.offsets }),
    usages: createEventTypeUsages({ events, clock: dependencies.clock }),
    catalog: createEventCatalog(eventTypes),
  });
}

function createWebhooks(
  dependencies: HandlerDependencies,
  lookup: WebhookLookup,
): Pick<Handlers, 'webhooks' | 'health'> {
  const { webhooks, tenants } = dependencies.models;
  const health = createWebhookHealth({ ...dependencies, lookup, now: () => performance.now() });
  return {
    health: createHealthHandlers({ lookup, health }),
    webhooks: createWebhookHandlers({
      commands: createWebhookCommands({
        ...dependencies,
        runner: dependencies.commandRunner,
        lookup,
        tenants: createWebhookTenants(tenants),
      }),
      webhooks,
      lookup,
      health,
      sendTest: createSendTest({ ...dependencies, lookup }),
      urlRules: dependencies.urlRules,
      secretBox: dependencies.secretBox,
      clock: dependencies.clock,
    }),
  };
}

function createTenants({ models: { tenants }, tenantCommands }: HandlerDependencies): Handlers['tenants'] {
  const lookup = createTenantLookup(tenants);
  return createTenantHandlers({ tenants, lookup, commands: tenantCommands(lookup) });
}

function createPreview(
  { models: { events }, offsets, eventsProgress: progress, clock }: HandlerDependencies,
  shared: {
    readonly lookup: WebhookLookup;
    readonly events: Pick<EventLookup, 'find'>;
    readonly filters: Filters;
  },
): Handlers['preview'] {
  const { filters } = shared;
  const limits = { ...defaultScanLimits, maximumMs: maximumPreviewMs };
  const history = { events, offsets, progress, filters, limits, selectEvents: eventSelection };
  return createPreviewHandlers({ ...shared, clock, history: createPreviewHistory(history) });
}

function createReplays(
  dependencies: HandlerDependencies,
  webhooks: WebhookLookup,
  filters: Filters,
): Handlers['replays'] {
  const { models, commandRunner: runner, auditTrail, eventsProgress: progress } = dependencies;
  const { events, replays } = models;
  const lookup = createReplayLookup(replays);
  const tenants = createWebhookTenants(models.tenants);
  return createReplayHandlers({
    replays,
    lookup,
    webhooks,
    boundaryIds: dependencies.boundaryIds,
    tenants,
    commands: createReplayCommands({ runner, auditTrail, lookup, webhooks, tenants, replays }),
    selectable: createSelectableEvents({
      ...dependencies,
      events,
      progress,
      filters,
    }),
    counts: createReplayCounts(events),
  });
}

/** The handlers of API keys, users and sessions. */
function createIdentities(
  dependencies: HandlerDependencies,
): Pick<Handlers, 'apiKeys' | 'users' | 'sessions'> {
  const { commandRunner: runner, passwords, signInThrottle: throttle, publicUrl } = dependencies;
  const { accounts, tenants } = dependencies.models;
  const tenantKeys = createTenantApiKeys(dependencies.models);
  const deviceCookie = createDeviceCookie({ ...dependencies, isSecure: publicUrl.startsWith('https:') });
  const checkCredentials = createCheckCredentials(accounts, passwords);
  return {
    apiKeys: createApiKeyHandlers({
      ...dependencies,
      accounts,
      tenantKeys,
      commands: createApiKeyCommands({ runner, accounts }),
      tenantCommands: createTenantApiKeyCommands({
        runner,
        tenants: createTenantLookup(tenants),
        apiKeys: tenantKeys,
      }),
    }),
    users: createUserHandlers({
      ...dependencies,
      accounts,
      commands: createUserCommands({ runner, accounts }),
    }),
    sessions: createSessionHandlers({
      ...dependencies,
      deviceCookie,
      throttle,
      signIn: createSignIn({ throttle, deviceCookie, checkCredentials }),
      linkRedemptions: createLinkRedemptions({ runner, accounts }),
    }),
  };
}
