import type { ApiApplication } from './server/server.js';
import Koa from 'koa';
import { messageOf } from '../shared/core/errors.js';
import type { GroupOffsets } from '../shared/log/client/groupOffsets.js';
import type { LogAppender } from '../shared/log/producer/producer.js';
import type { TopicOffsets } from '../shared/log/client/topicOffsets.js';
import type { Logger } from '../shared/core/logger.js';
import type { Metrics } from '../shared/runtime/metrics.js';
import type { ModelProgress } from '../shared/store/models/modelProgress.js';
import type { ReadModels } from '../shared/store/models/readModels.js';
import { createReplayCounts } from '../shared/store/queries/replayCounts.js';
import type { Reservations } from '../shared/store/coordination/reservations.js';
import type { Readiness } from '../shared/runtime/readiness.js';
import type { RateLimiter } from '../shared/store/redis/rateLimiter.js';
import type { StreamSlots } from '../shared/store/redis/streamSlots.js';
import type { SecretBox } from '../shared/security/secretBox.js';
import { createAccountHandlers } from './resources/account/handlers.js';
import { createAttemptHandlers } from './resources/attempts/handlers.js';
import { createAuditHandlers } from './resources/audit/handlers.js';
import type { RequestState, ApiContext } from './http/context.js';
import { createDashboardHandlers } from './dashboard/handlers.js';
import type { PageFiles } from './dashboard/pageFiles.js';
import { createIdempotency } from './idempotency/idempotency.js';
import { createEventLookup } from './resources/events/eventLookup.js';
import { createEventHandlers } from './resources/events/handlers.js';
import { createResend } from './resources/events/resend.js';
import { createEventStreamHandlers } from './resources/eventStream/handlers.js';
import { createAuthentication, type Authenticate } from './middleware/authentication.js';
import { createCompression } from './middleware/compression.js';
import { createErrorMapping } from './middleware/errors.js';
import { createJsonBody } from './middleware/jsonBody.js';
import { createObservation } from './middleware/observation.js';
import { createPermission, callerError } from './middleware/permission.js';
import { createRateLimit } from './middleware/rateLimit.js';
import { createRequestIds } from './middleware/requestId.js';
import { createSending } from './middleware/responseMemory.js';
import { createReplayHandlers, type ReplayHandlers } from './resources/replays/handlers.js';
import { createReplayCommands } from './resources/replays/replayCommands.js';
import { createReplayLookup } from './resources/replays/replayLookup.js';
import { createSelectableEvents } from './resources/replays/selectableEvents.js';
import { createOperationHandlers } from './resources/operations/handlers.js';
import { createIdentityParts, type IdentityParts, type IdentityDependencies } from './identityHandlers.js';
import { createRoutes, type Handlers } from './routes.js';
import { createRouting } from './routing.js';
import { createStatsHandlers } from './resources/stats/handlers.js';
import { createUnsentBytes, type UnsentBytes } from './server/unsentBytes.js';
import { createWebhookHandlers } from './resources/webhooks/handlers.js';
import { createSendTest } from './resources/webhooks/sendTest.js';
import { createWebhookCommands } from './resources/webhooks/webhookCommands.js';
import { createWebhookLookup, type WebhookLookup } from './resources/webhooks/webhookLookup.js';
import type { WebhookUrlRules } from './resources/webhooks/webhookUrl.js';
import { clientTraceOf } from './http/clientNetwork.js';
import { isApiError } from './http/apiError.js';
import type { RequestClient, Route } from './http/route.js';
import type { SessionCookie } from './authentication/sessionCookie.js';

export interface ApiDependencies extends IdentityDependencies {
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

/** The HTTP API as a Koa application. It listens to nothing by itself. */
export function createApp(dependencies: ApiDependencies): ApiApplication {
  const { clock, identifiers, metrics, logger, trustedProxies } = dependencies;
  const people = createIdentityParts(dependencies);
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
    once: createIdempotency(dependencies),
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

type OtherHandlers = Omit<Handlers, keyof IdentityParts['handlers']>;

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

/** One year, in seconds. */
const secureTransport = 'max-age=31536000';

/**
 * The headers of every answer:
 * - no cache stores the data of an account,
 * - a browser goes by the content type alone, and hands no answer to a page of another origin,
 * - a browser uses https only, if that is the public address (RFC 6797).
 */
export function commonHeadersOf(publicUrl: string): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(new URL(publicUrl).protocol === 'https:' ? { 'Strict-Transport-Security': secureTransport } : {}),
  };
}

interface ClientDependencies {
  readonly authenticate: Authenticate;
  readonly cookie: Pick<SessionCookie, 'read'>;
}

/** Tells a handler where a request comes from. */
function createClientOf({ authenticate, cookie }: ClientDependencies) {
  return (context: ApiContext, route: Route): RequestClient => {
    const { headers } = context.req;
    const trace = clientTraceOf(context);
    return {
      trace,
      cookies: headers.cookie,
      sessionValue: cookie.read(headers.cookie),
      lastEventId: textOf(headers['last-event-id']),
      isStillLetIn: async () => {
        const caller = await authenticate({ headers, trace: () => trace }, 'peek');
        return !isApiError(caller) && callerError(caller, route) === null;
      },
    };
  };
}

function textOf(header: string | string[] | undefined): string | null {
  return header === undefined || header === '' ? null : header.toString();
}
