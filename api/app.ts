import Koa from 'koa';

import { messageOf } from '../shared/errors.js';
import type { GroupOffsets } from '../shared/kafka/groupOffsets.js';
import type { LogAppender } from '../shared/kafka/laneProducer.js';
import type { TopicOffsets } from '../shared/kafka/topicOffsets.js';
import type { Logger } from '../shared/logger.js';
import type { Metrics } from '../shared/metrics.js';
import type { ModelProgress } from '../shared/mongo/modelProgress.js';
import type { ReadModels } from '../shared/mongo/readModels.js';
import { createReplayCounts } from '../shared/mongo/replayCounts.js';
import type { Reservations } from '../shared/mongo/reservations.js';
import type { Readiness } from '../shared/readiness.js';
import type { RateLimiter } from '../shared/redis/rateLimiter.js';
import type { StreamSlots } from '../shared/redis/streamSlots.js';
import type { SecretBox } from '../shared/secretBox.js';
import { createAccountHandlers } from './account/handlers.js';
import { createAttemptHandlers } from './attempts/handlers.js';
import { createAuditHandlers } from './audit/handlers.js';
import { createClientOf } from './client.js';
import { commonHeadersOf } from './commonHeaders.js';
import type { RequestState } from './context.js';
import { createDashboardHandlers } from './dashboard/handlers.js';
import type { PageFiles } from './dashboard/pageFiles.js';
import { createOnce } from './idempotency/once.js';
import { createEventLookup } from './events/eventLookup.js';
import { createEventHandlers } from './events/handlers.js';
import { createResend } from './events/resend.js';
import { createEventStreamHandlers } from './eventStream/handlers.js';
import { createAuthentication } from './middleware/authentication.js';
import { createCompression } from './middleware/compression.js';
import { createErrorMapping } from './middleware/errors.js';
import { createJsonBody } from './middleware/jsonBody.js';
import { createObservation } from './middleware/observation.js';
import { createPermission } from './middleware/permission.js';
import { createRateLimit } from './middleware/rateLimit.js';
import { createRequestIds } from './middleware/requestId.js';
import { createSending } from './middleware/sending.js';
import { createReplayHandlers, type ReplayHandlers } from './replays/handlers.js';
import { createReplayCommands } from './replays/replayCommands.js';
import { createReplayLookup } from './replays/replayLookup.js';
import { createSelectableEvents } from './replays/selectableEvents.js';
import { createOperationHandlers } from './operations/handlers.js';
import { createPeople, type People, type PeopleDependencies } from './people.js';
import { createRoutes, type Handlers } from './routes.js';
import { createRouting, type Routing } from './routing.js';
import { createStatsHandlers } from './stats/handlers.js';
import { createUnsentBytes, type UnsentBytes } from './unsentBytes.js';
import { createWebhookHandlers } from './webhooks/handlers.js';
import { createSendTest } from './webhooks/sendTest.js';
import { createWebhookCommands } from './webhooks/webhookCommands.js';
import { createWebhookLookup, type WebhookLookup } from './webhooks/webhookLookup.js';
import type { WebhookUrlRules } from './webhooks/webhookUrl.js';

export interface ApiDependencies extends PeopleDependencies {
  readonly log: LogAppender;
  readonly offsets: TopicOffsets;
  readonly groups: Pick<GroupOffsets, 'committed'>;
  /** The group that makes first attempts. */
  readonly deliveryGroup: string;
  readonly models: ReadModels;
  /** The progress of the model `events`. */
  readonly eventsProgress: ModelProgress;
  readonly rateLimiter: RateLimiter;
  readonly reservations: Reservations;
  readonly secretBox: SecretBox;
  /** Partitions of each topic. */
  readonly partitions: number;
  readonly urlRules: WebhookUrlRules;
  /** How many proxies stand before this process: so many addresses of `X-Forwarded-For` are theirs to write. */
  readonly trustedProxies: number;
  readonly pageFiles: PageFiles;
  readonly streamSlots: StreamSlots;
  /** Aborted once the process stops: streams end then. */
  readonly stopping: AbortSignal;
  /** How old an event is when it is removed, in milliseconds; null where none is. */
  readonly eventExpiryMs: number | null;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  /** Whether another port serves the metrics and the details of readiness. */
  readonly hasMetricsPort: boolean;
  readonly logger: Logger;
}

export interface ApiApplication {
  readonly koa: Koa<RequestState>;
  /** The headers of every answer. */
  readonly commonHeaders: Readonly<Record<string, string>>;
  readonly routing: Routing;
}

/** The HTTP API as a Koa application. It listens to nothing by itself. */
export function createApp(dependencies: ApiDependencies): ApiApplication {
  const { clock, identifiers, metrics, logger, trustedProxies } = dependencies;
  const people = createPeople(dependencies);
  const unsentBytes = createUnsentBytes();
  metrics.onScrape(() => {
    metrics.unsentBytes.set(unsentBytes.total());
    return Promise.resolve();
  });
  const handlers = { ...createHandlers(dependencies, unsentBytes), ...people.handlers };
  const routing = createRouting(createRoutes(handlers), {
    authentication: createAuthentication(people.authenticate),
    rateLimit: createRateLimit(dependencies.rateLimiter),
    permission: createPermission(dependencies.auditTrail),
    sending: createSending(unsentBytes),
    jsonBody: createJsonBody,
    compression: createCompression(),
    clientOf: createClientOf(people),
    once: createOnce(dependencies),
  });
  const koa = new Koa<RequestState>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  koa.on('error', (error: unknown) => {
    // What goes wrong outside the middleware is the connection: most often, the client has closed it.
    logger.debug({ error: messageOf(error) }, 'an answer could not be sent');
  });
  const commonHeaders = commonHeadersOf(dependencies.publicUrl);
  koa.use(createRequestIds(identifiers, clock, commonHeaders));
  koa.use(createObservation(metrics, logger));
  koa.use(createErrorMapping(logger));
  routing.install(koa);
  return { koa, routing, commonHeaders };
}

type OtherHandlers = Omit<Handlers, keyof People['handlers']>;

function createHandlers(dependencies: ApiDependencies, unsentBytes: UnsentBytes): OtherHandlers {
  const { log, offsets, models, metrics, commandRunner: runner, auditTrail } = dependencies;
  const expiry = { expiryMs: dependencies.eventExpiryMs, clock: dependencies.clock };
  const eventLookup = createEventLookup({
    events: models.events,
    progress: dependencies.eventsProgress,
    offsets,
    partitions: dependencies.partitions,
  });
  const webhookLookup = createWebhookLookup(models.webhooks);
  return {
    events: createEventHandlers({
      ...{ log, metrics, expiry },
      events: models.events,
      lookup: eventLookup,
      resend: createResend({ runner, auditTrail, lookup: eventLookup, webhooks: models.webhooks }),
    }),
    eventStream: createEventStreamHandlers({
      ...dependencies,
      ...{ events: models.events, lookup: eventLookup, unsentBytes },
    }),
    webhooks: createWebhookHandlers({
      commands: createWebhookCommands({
        ...dependencies,
        runner,
        lookup: webhookLookup,
      }),
      webhooks: models.webhooks,
      lookup: webhookLookup,
      sendTest: createSendTest({ log, lookup: webhookLookup, metrics, auditTrail }),
      urlRules: dependencies.urlRules,
    }),
    attempts: createAttemptHandlers({
      attempts: models.attempts,
      ...{ events: eventLookup, webhooks: webhookLookup, expiry },
    }),
    replays: createReplays(dependencies, webhookLookup),
    account: createAccountHandlers({
      accounts: models.accounts,
      webhooks: webhookLookup,
      rateLimiter: dependencies.rateLimiter,
    }),
    audit: createAuditHandlers(models.audit),
    dashboard: createDashboardHandlers(dependencies.pageFiles),
    stats: createStatsHandlers({ stats: models.stats, clock: dependencies.clock }),
    operations: createOperationHandlers(dependencies.readiness, dependencies.hasMetricsPort ? null : metrics),
  };
}

function createReplays(dependencies: ApiDependencies, webhooks: WebhookLookup): ReplayHandlers {
  const { models, commandRunner: runner, auditTrail, eventsProgress: progress } = dependencies;
  const lookup = createReplayLookup(models.replays);
  return createReplayHandlers({
    replays: models.replays,
    lookup,
    webhooks,
    commands: createReplayCommands({ runner, auditTrail, lookup, webhooks, replays: models.replays }),
    selectable: createSelectableEvents({ ...dependencies, events: models.events, progress }),
    counts: createReplayCounts(models.events),
  });
}
