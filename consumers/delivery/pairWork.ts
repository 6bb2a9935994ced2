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
import type { HttpAttempt } from '../attempt/attempt.js';
import { createDisableWebhook } from '../disabling/disableWebhook.js';
import { createFailingWatch, type FailingWatch } from '../disabling/failingWatch.js';
import { createAfterFailure } from './afterFailure.js';
import { createAssignments, type Assignments } from './assignments.js';
import { createAttemptPair } from './attemptPair.js';
import { createAttemptQueue } from './attemptQueue.js';
import { createAttemptTurns } from './attemptTurns.js';
import { createGroupAttempts, type GroupAttempts } from './groupAttempts.js';
import { createDeferrals, type Deferrals } from './deferrals.js';
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
import { createWebhookPaces, type WebhookPaces } from './webhookPaces.js';

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
  readonly metrics: Metrics;
  readonly logger: Logger;
}

const rememberedAttempts = 100_000;
const rememberedAccounts = 100_000;
const leastInFlight = 1000;

/** Wires the way of a pair: what is known of it, its webhook, the exchange, and the outcome back into the log. */
export function createPairWork(context: PairWorkContext): PairWork {
  const { config, connections, identifiers, clock, logger } = context;
  const { offsets, models, progress } = connections;
  const states = createEventStates({ model: models.events, progress: progress.events, offsets });
  const now = () => performance.now();
  const webhooks = createWebhookReader(models.webhooks, now);
  const inFlight = createInFlightRegistry(rememberedAttempts);
  const persistentLog = createPersistentLog(context.log, logger);
  const log = createPairLog({ log: persistentLog, identifiers, clock });
  const { afterFailure, failingWatch } = createAftermath(context, persistentLog);
  const paces = createWebhookPaces({
    now,
    idleMs: () => performance.eventLoopUtilization().idle,
  });
  const attemptPair = createAttemptPair({
    ...context,
    paces,
    afterFailure,
    signingKeys: createSigningKeys({ secrets: createSecretBox(config.encryptionKeys), clock }),
  });
  const { turns, deferrals } = createBusyness(context, paces);
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

/** Wires whose turn it is, and what becomes of those whose turn would be too late. */
function createBusyness({ config, clock, metrics, logger }: PairWorkContext, paces: WebhookPaces) {
  const { webhookConcurrency } = config.delivery;
  const queue = createAttemptQueue({ webhookConcurrency, maximumInFlight: maximumInFlight(config) });
  const deferrals = createDeferrals({ paces, webhookConcurrency, clock, metrics, logger });
  return { deferrals, turns: createAttemptTurns({ queue, paces, deferrals, webhookConcurrency }) };
}

/** The most attempts of a process at once. A webhook gets a third of it at most, so that others always find a slot. */
export function maximumInFlight({ delivery }: Pick<Config, 'delivery'>): number {
  return Math.max(leastInFlight, 4 * delivery.webhookConcurrency);
}
