import { createSharedTurns } from '../shared/concurrency/sharedTurns.js';
import { createDeletedAccounts } from '../shared/accounts/deletedAccounts.js';
import type { CommandRunner } from '../shared/commands/commandRunner.js';
import type { Connections } from '../shared/connections/connections.js';
import type { Clock } from '../shared/core/clock.js';
import type { Logger } from '../shared/core/logger.js';
import type { Identifiers } from '../shared/domain/core/identifiers.js';
import type { LogAppender } from '../shared/log/producer/producer.js';
import type { Metrics } from '../shared/runtime/metrics.js';
import { createSecretBox } from '../shared/security/secretBox.js';
import type { Config } from '../shared/settings/config.js';
import type { EgressProxy } from './egress/egressProxy.js';
import { createAuthenticate } from './engine/authenticate.js';
import { createDeliver, type Deliver } from './engine/deliver.js';
import { createPausableAttempts, type PausableAttempts } from './engine/pausableAttempts.js';
import { createOpenCredentials } from './credentials/openCredentials.js';
import { createExecuteAttempt, createSigningKeys } from './engine/executeAttempt.js';
import type { Park } from './engine/deliveryJob.js';
import { createInFlightRegistry, type InFlightRegistry } from './engine/inFlightRegistry.js';
import { createAppendMatched, type AppendMatched } from './engine/matchedLog.js';
import { createOutcomeBackpressure } from './engine/outcomeBackpressure.js';
import { createOutcomeLog, createPersistentLog, type OutcomeLog } from './engine/outcomeLog.js';
import { createResumeDelivery, type ResumeDelivery } from './engine/resumeDelivery.js';
import { createAttemptAdmission, type AttemptAdmission } from './fairness/attemptAdmission.js';
import { createAttemptSlots } from './fairness/attemptSlots.js';
import { mostInFlight, slotSettings, type SlotSettings } from './fairness/slotPools.js';
import type { HttpAttempt } from './http/httpAttempt.js';
import { createLatencyTracker, type LatencyTracker } from './latency/latencyTracker.js';
import type { ProcessClocks } from './latency/processClocks.js';
import { createAccountCache, createAccountCheck, type AccountCheck } from './lookups/accountCheck.js';
import { createAssignments, type Assignments } from './lookups/assignmentEndOffsets.js';
import { createEventStates, type EventStates } from './lookups/eventStates.js';
import { createAccessTokens } from './oauth/accessTokens.js';
import { createRequestToken } from './oauth/requestToken.js';
import { createReplayReader } from './lookups/replayReader.js';
import { createWebhookReader, type WebhookReader } from './lookups/webhookReader.js';
import { createBacklogPages } from './parking/backlogPages.js';
import { reportBacklogs } from './parking/backlogReport.js';
import { createKnownBacklogs } from './parking/knownBacklogs.js';
import { createPark } from './parking/park.js';
import { createRelease, type Release, type ReleaseDependencies } from './parking/release.js';
import { createFilters, type Filters } from '../shared/filters/filters.js';
import { createEndedLives, type EndedLives } from '../shared/tenants/endedLives.js';
import { createAutoDisable, type AutoDisable } from './retry/autoDisable.js';
import { createDisableWebhook } from './retry/disableWebhook.js';
import { createRetryPolicy } from './retry/retryPolicy.js';

/**
 * The parts that the consumer groups of the delivery role share. All deliveries take the same path through these parts.
 */
export interface DeliveryEngine {
  readonly accountCheck: AccountCheck;
  readonly assignments: Assignments;
  readonly pausableAttempts: PausableAttempts;
  readonly states: EventStates;
  readonly webhooks: WebhookReader;
  readonly filters: Filters;
  readonly endedLives: EndedLives;
  readonly log: OutcomeLog;
  readonly appendMatched: AppendMatched;
  readonly park: Park;
  readonly inFlight: InFlightRegistry;
  readonly release: Release;
  readonly deliver: Deliver;
  readonly resumeDelivery: ResumeDelivery;
  readonly autoDisable: AutoDisable;
}

export interface DeliveryEngineContext {
  readonly config: Pick<Config, 'delivery' | 'encryptionKeys'>;
  readonly connections: Pick<Connections, 'offsets' | 'models' | 'progress'>;
  readonly log: LogAppender;
  readonly commandRunner: CommandRunner;
  readonly attempt: HttpAttempt['attempt'];
  readonly post: HttpAttempt['post'];
  /** The proxy of all requests to webhooks. Without one, the service connects to webhooks directly. */
  readonly egressProxy?: Pick<EgressProxy, 'whenUp'> | null;
  /** The signal that is aborted when this process closes its connections, with or without requests in flight. */
  readonly closing: AbortSignal;
  readonly identifiers: Identifiers;
  readonly random: () => number;
  readonly clock: Clock;
  /** The clocks that measure the latency of webhooks. */
  readonly processClocks: ProcessClocks;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/**
 * The attempts of half a minute at 2,000 a second. A producer repeats an append for at most half a minute. The built-in
 * `Map` doubles its table after this number of keys.
 */
const rememberedAttempts = 65_536;
const rememberedAccounts = 100_000;

/** The wiring of a delivery's path: its event, its webhook, the attempt, and the outcome in the log. */
export function createDeliveryEngine(context: DeliveryEngineContext): DeliveryEngine {
  const { config, connections, identifiers, clock, processClocks, logger } = context;
  const { offsets, models, progress } = connections;
  const states = createEventStates({ model: models.events, progress: progress.events, offsets });
  const now = () => performance.now();
  const webhooks = createWebhookReader(models.webhooks, now);
  const endedLives = createEndedLives(models.tenants);
  const inFlight = createInFlightRegistry(rememberedAttempts);
  const persistentLog = createPersistentLog(context.log, logger);
  const log = createOutcomeLog({ log: persistentLog, identifiers, clock });
  const { retryPolicy, autoDisable } = createRetries(context, persistentLog);
  const tracker = createLatencyTracker(processClocks);
  const secrets = createSecretBox(config.encryptionKeys);
  const executeAttempt = createExecuteAttempt({
    ...context,
    latencyTracker: tracker,
    retryPolicy,
    autoDisable,
    signingKeys: createSigningKeys({ secrets, clock }),
    authenticate: createAuthenticate({
      openCredentials: createOpenCredentials(secrets),
      tokens: createAccessTokens({ requestToken: createRequestToken(context.post), now }),
    }),
  });
  const { pages, backlogs, park } = createParking(context, log);
  const pausableAttempts = createPausableAttempts();
  const deliver = createDeliver({
    executeAttempt,
    webhooks,
    endedLives,
    park,
    backlogs,
    pausableAttempts,
    inFlight,
    log,
    logger,
    now,
    replays: createReplayReader(models.replays, now),
    admission: createAdmission(context, tracker),
    backpressure: createOutcomeBackpressure(),
    egressProxy: context.egressProxy ?? null,
  });
  const resumeDelivery = createResumeDelivery({ deliver, states, log, inFlight, clock });
  const assignments = createAssignments({ offsets, progress });
  const release = createReleases(context, {
    pages,
    known: backlogs,
    assignments,
    states,
    resumeDelivery,
    tracker,
  });
  return {
    accountCheck: createAccountChecks(context),
    assignments,
    pausableAttempts,
    states,
    webhooks,
    filters: createFilters({ turns: createSharedTurns(), seconds: context.metrics.filterSeconds }),
    endedLives,
    log,
    appendMatched: createAppendMatched(context),
    park,
    inFlight,
    release,
    deliver,
    resumeDelivery,
    autoDisable,
  };
}

/** The wiring of the parts that park deliveries, which do not need the path of a delivery. */
function createParking({ config, connections, ...context }: DeliveryEngineContext, log: OutcomeLog) {
  const now = () => performance.now();
  const pages = createBacklogPages(connections.models.events);
  const backlogs = createKnownBacklogs({ pages, ...config.delivery, now });
  return { pages, backlogs, park: createPark({ ...context, log, backlogs, now }) };
}

/** The wiring of the release of parked deliveries. */
function createReleases(
  context: DeliveryEngineContext,
  parts: Pick<
    ReleaseDependencies,
    'pages' | 'known' | 'assignments' | 'states' | 'resumeDelivery' | 'tracker'
  >,
): Release {
  const { config, connections, logger } = context;
  const release = createRelease({
    ...parts,
    ...config.delivery,
    logger,
    offsets: connections.offsets,
    progress: connections.progress.events,
    mostLoaded: 2 * maximumInFlight(config),
    now: () => performance.now(),
  });
  reportBacklogs({ ...context, pages: parts.pages, release });
  return release;
}

/** The wiring of the check that rejects events of unknown or deleted accounts. */
function createAccountChecks({ connections, clock }: DeliveryEngineContext): AccountCheck {
  const { offsets, models, progress } = connections;
  return createAccountCheck({
    accountExists: createAccountCache({
      model: models.accounts,
      progress: progress.accounts,
      offsets,
      capacity: rememberedAccounts,
    }),
    deleted: createDeletedAccounts(models.accounts, { clock }),
  });
}

/** The wiring of the steps after a failed attempt: a retry, or the disabling of its webhook. */
function createRetries(context: DeliveryEngineContext, log: LogAppender) {
  const { config, connections, random, logger } = context;
  const { models, offsets, progress } = connections;
  const { retryScheduleMs: scheduleMs, failingAfterMs } = config.delivery;
  const disableWebhook = createDisableWebhook({ ...context, models, log, progress: progress.webhooks });
  const autoDisable = createAutoDisable({
    failingAfterMs,
    models,
    offsets,
    disableWebhook,
    logger,
    progress: progress.attempts,
  });
  return {
    autoDisable,
    retryPolicy: createRetryPolicy({ scheduleMs, random, disableWebhook, autoDisable }),
  };
}

/** The wiring of the order of attempts. */
function createAdmission(
  { config, processClocks }: DeliveryEngineContext,
  tracker: LatencyTracker,
): AttemptAdmission {
  const { webhookConcurrency } = config.delivery;
  const slots = createAttemptSlots({
    webhookConcurrency,
    tracker,
    slots: slotsOf(config),
    now: processClocks.now,
  });
  return createAttemptAdmission({ slots, tracker, webhookConcurrency });
}

/** The most attempts that a process has in flight at once. */
export function maximumInFlight(config: Pick<Config, 'delivery'>): number {
  return mostInFlight(slotsOf(config));
}

function slotsOf({ delivery }: Pick<Config, 'delivery'>): SlotSettings {
  return slotSettings(delivery.attemptSlots);
}
