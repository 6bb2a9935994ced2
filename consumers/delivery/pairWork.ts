import type { Clock } from '../../shared/clock.js';
import type { CommandRunner } from '../../shared/commandRunner.js';
import type { Config } from '../../shared/config.js';
import type { Connections } from '../../shared/connections.js';
import { createDeletedAccounts } from '../../shared/deletedAccounts.js';
import type { Identifiers } from '../../shared/domain/identifiers.js';
import type { LogAppender } from '../../shared/kafka/laneProducer.js';
import type { Logger } from '../../shared/logger.js';
import type { Metrics } from '../../shared/metrics.js';
import { createSecretBox } from '../../shared/secretBox.js';
import { createAttemptAdmission } from '../admission/attemptAdmission.js';
import { createAttemptSlots } from '../admission/attemptSlots.js';
import { createDeferrals, type Deferrals } from '../admission/deferrals.js';
import { createLatencyTracker, type LatencyTracker } from '../admission/latencyTracker.js';
import type { ProcessClocks } from '../admission/ownTime.js';
import { mostInFlight, slotSettings, type SlotSettings } from '../admission/slotPools.js';
import type { HttpAttempt } from '../attempt/attempt.js';
import { createDisableWebhook } from '../disabling/disableWebhook.js';
import { createFailingWatch, type FailingWatch } from '../disabling/failingWatch.js';
import { createAfterFailure } from './afterFailure.js';
import { createAssignments, type Assignments } from './assignments.js';
import { createAttemptPair } from './attemptPair.js';
import { createGroupAttempts, type GroupAttempts } from './groupAttempts.js';
import { createDeliverPair, type DeliverPair } from './deliverPair.js';
import { createEventStates, type EventStates } from './eventStates.js';
import { createInFlightRegistry } from './inFlightRegistry.js';
import { createKnownAccounts } from './knownAccounts.js';
import { createOutcomeBackpressure } from './outcomeBackpressure.js';
import { createPairLog, type PairLog } from './pairLog.js';
import { createPersistentLog } from './persistentLog.js';
import { createPursuePair, type PursuePair } from './pursuePair.js';
import { createRefusedAccount, type RefusedAccount } from './refusedAccount.js';
import { createWebhookReader, type WebhookReader } from './webhookReader.js';
import { createSigningKeys } from './signingKeys.js';

/** What the three groups of the role share: a pair is worked on in the same way wherever it was met. */
export interface PairWork {
  readonly refusedAccount: RefusedAccount;
  readonly assignments: Assignments;
  readonly groupAttempts: GroupAttempts;
  readonly states: EventStates;
  readonly webhooks: WebhookReader;
  readonly log: PairLog;
  readonly deferrals: Deferrals;
  readonly deliverPair: DeliverPair;
  readonly pursuePair: PursuePair;
  readonly failingWatch: FailingWatch;
}

export interface PairWorkContext {
  readonly config: Pick<Config, 'delivery' | 'encryptionKeys'>;
  readonly connections: Pick<Connections, 'offsets' | 'models' | 'progress'>;
  readonly log: LogAppender;
  readonly commandRunner: CommandRunner;
  readonly attempt: HttpAttempt['attempt'];
  /** Aborted when connections are closed under what is in flight. */
  readonly closing: AbortSignal;
  readonly identifiers: Identifiers;
  readonly random: () => number;
  readonly clock: Clock;
  /** What the times of exchanges are measured with. */
  readonly processClocks: ProcessClocks;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

const rememberedAttempts = 100_000;
const rememberedAccounts = 100_000;

/** Wires the way of a pair: what is known of it, its webhook, the exchange, and the outcome back into the log. */
export function createPairWork(context: PairWorkContext): PairWork {
  const { config, connections, identifiers, clock, processClocks, logger } = context;
  const { offsets, models, progress } = connections;
  const states = createEventStates({ model: models.events, progress: progress.events, offsets });
  const now = () => performance.now();
  const webhooks = createWebhookReader(models.webhooks, now);
  const inFlight = createInFlightRegistry(rememberedAttempts);
  const persistentLog = createPersistentLog(context.log, logger);
  const log = createPairLog({ log: persistentLog, identifiers, clock });
  const { afterFailure, failingWatch } = createAftermath(context, persistentLog);
  const tracker = createLatencyTracker(processClocks);
  const attemptPair = createAttemptPair({
    ...context,
    paces: tracker,
    afterFailure,
    signingKeys: createSigningKeys({ secrets: createSecretBox(config.encryptionKeys), clock }),
  });
  const { turns, deferrals } = createAdmission(context, tracker);
  const groupAttempts = createGroupAttempts();
  const deliverPair = createDeliverPair({
    ...{ attemptPair, webhooks, turns, groupAttempts, inFlight, log, logger, now },
    backpressure: createOutcomeBackpressure(),
  });
  const pursuePair = createPursuePair({ deliverPair, states, log, inFlight, clock });
  const assignments = createAssignments({ offsets, progress });
  return {
    refusedAccount: createRefusals(context),
    assignments,
    groupAttempts,
    states,
    webhooks,
    log,
    deferrals,
    deliverPair,
    pursuePair,
    failingWatch,
  };
}

/** Wires whose events are nobody's. */
function createRefusals({ connections, clock }: PairWorkContext): RefusedAccount {
  const { offsets, models, progress } = connections;
  return createRefusedAccount({
    accountExists: createKnownAccounts({
      ...{ model: models.accounts, progress: progress.accounts, offsets },
      capacity: rememberedAccounts,
    }),
    deleted: createDeletedAccounts(models.accounts, { clock }),
  });
}

/** Wires what a failed attempt leads to: the next one, or the end of its webhook. */
function createAftermath(context: PairWorkContext, log: LogAppender) {
  const { config, connections, random, logger } = context;
  const { models, offsets, progress } = connections;
  const { retryScheduleMs: scheduleMs, failingAfterMs } = config.delivery;
  const disableWebhook = createDisableWebhook({ ...context, models, log });
  const failingWatch = createFailingWatch({
    ...{ failingAfterMs, models, offsets, disableWebhook, logger },
    progress: progress.attempts,
  });
  return {
    failingWatch,
    afterFailure: createAfterFailure({ scheduleMs, random, disableWebhook, failingWatch }),
  };
}

/** Wires which attempt begins next, and what becomes of those that would begin too late. */
function createAdmission(context: PairWorkContext, tracker: LatencyTracker) {
  const { config, clock, processClocks, metrics, logger } = context;
  const { webhookConcurrency } = config.delivery;
  const slots = createAttemptSlots({
    ...{ webhookConcurrency, tracker, slots: slotsOf(config) },
    ...processClocks,
  });
  const deferrals = createDeferrals({
    ...{ tracker, webhookConcurrency, clock, metrics, logger },
    now: () => performance.now(),
  });
  return { deferrals, turns: createAttemptAdmission({ slots, tracker, deferrals, webhookConcurrency }) };
}

/** The most attempts of a process at once. */
export function maximumInFlight(config: Pick<Config, 'delivery'>): number {
  return mostInFlight(slotsOf(config));
}

/** There are at least four slots for each attempt that one webhook may have in flight. */
function slotsOf({ delivery }: Pick<Config, 'delivery'>): SlotSettings {
  return slotSettings(Math.max(delivery.attemptSlots, 4 * delivery.webhookConcurrency));
}
