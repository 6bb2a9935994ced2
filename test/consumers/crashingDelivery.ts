import { createDeliveryEngine } from '../../consumers/deliveryEngine.js';
import { createGroups } from '../../consumers/groups.js';
import { createHttpAttempt } from '../../consumers/http/httpAttempt.js';
import { openConnections } from '../../shared/connections/connections.js';
import { createLogger } from '../../shared/core/logger.js';
import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import { createGroupConsumer } from '../../shared/log/group/groupConsumer.js';
import { createLogProducer, type LogAppender } from '../../shared/log/producer/producer.js';
import { createReleasers } from '../../shared/runtime/lifecycle.js';
import { createMetrics } from '../../shared/runtime/metrics.js';
import type { Config } from '../../shared/settings/config.js';
import { closeAtEndOfFile } from '../support/fileResources.js';

/** A crash at an append of an event's records: before the log has the record, or before the process has the acknowledgement. */
export interface Crash {
  readonly append: number;
  readonly side: 'before' | 'after';
}

export interface CrashingDelivery {
  /** The number of events whose crash has happened. */
  readonly crashed: () => number;
  /** Whether the crash has lost the outcome of an attempt of the event. */
  readonly hasLostOutcome: (eventId: string) => boolean;
  /** Stops without further effects, because hanging appends never end. */
  readonly stop: () => Promise<void>;
}

const stopMs = 100;

/** The role `delivery` in this process, over a log that never answers the append of an event's crash or later ones. */
export async function startCrashingDelivery(
  config: Config,
  crashes: ReadonlyMap<string, Crash>,
): Promise<CrashingDelivery> {
  const logger = createLogger({ role: 'crashing', level: 'silent', isTerminal: false });
  const releasers = createReleasers(logger);
  const connections = await openConnections(config, { role: 'crashing', logger, releasers });
  const { prefix } = config.topics;
  const producer = createLogProducer(connections.kafka, {
    ...config.topics,
    deliveryTimeoutMs: 10_000,
    maximumWaitingBytes: 1024 * 1024,
  });
  await producer.connect();
  releasers.add('log', producer.close);
  const http = createHttpAttempt({ ...config.webhooks, timeoutMs: 5000, userAgent: 'crashing' });
  releasers.add('http', http.close);
  const log = createCrashingLog(producer, crashes);
  const clock = () => new Date();
  const metrics = createMetrics();
  const engine = createDeliveryEngine({
    processClocks: {
      now: () => performance.now(),
      idleMs: () => performance.eventLoopUtilization().idle,
    },
    ...{ config, connections, log, clock, metrics, logger },
    // A crashed process makes no further attempts either.
    attempt: (request) => (log.hasCrashed(request.eventId) ? never() : http.attempt(request)),
    post: http.post,
    commandRunner: { run: never },
    closing: new AbortController().signal,
    identifiers: createIdentifiers(Math.random),
    random: Math.random,
  });
  const deadLettersOf = () => ({
    append: () => Promise.reject(new Error('no record should become a dead letter')),
  });
  const maintenance = { onAssigned: () => undefined, start: () => undefined, stop: () => Promise.resolve() };
  const groups = createGroups({
    prefix,
    webhookConcurrency: 25,
    connections,
    createMember: (group) => createGroupConsumer(connections.kafka, logger, { ...group, prefix }),
    engine,
    createHandleReplay: () => never,
    maintenance,
    retentionRecovery: () => Promise.resolve(null),
    deadLettersOf,
    clock,
    metrics,
    logger,
  });
  releasers.add('automatic disabling', engine.autoDisable.stop);
  await Promise.all(groups.map((group) => group.start(() => undefined)));
  releasers.add('groups', async () => {
    await Promise.all(groups.map((group) => group.stop(stopMs)));
  });
  const { crashed, hasLostOutcome } = log;
  return { crashed, hasLostOutcome, stop: closeAtEndOfFile(releasers.releaseAll) };
}

interface CrashingLog extends LogAppender {
  readonly crashed: () => number;
  readonly hasLostOutcome: (eventId: string) => boolean;
  readonly hasCrashed: (eventId: string) => boolean;
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function createCrashingLog(log: LogAppender, crashes: ReadonlyMap<string, Crash>): CrashingLog {
  const appends = new Map<string, number>();
  const crashed = new Set<string>();
  const lostOutcomes = new Set<string>();
  const hang = (key: string) => {
    crashed.add(key);
    return never();
  };

  const appendTogether: LogAppender['appendTogether'] = async (records) => {
    const [{ key, headers }] = records;
    const count = (appends.get(key) ?? 0) + 1;
    appends.set(key, count);
    const crash = crashes.get(key);
    const isDue = crash !== undefined && count >= crash.append;
    if (isDue && (count > crash.append || crash.side === 'before')) {
      if (String(headers['ce_type']) === 'postrider.delivery.attempted') {
        lostOutcomes.add(key);
      }
      return hang(key);
    }
    const position = await log.appendTogether(records);
    return isDue ? hang(key) : position;
  };

  return {
    append: (record) => appendTogether([record]),
    appendTogether,
    crashed: () => crashed.size,
    hasLostOutcome: (id) => lostOutcomes.has(id),
    hasCrashed: (id) => crashed.has(id),
  };
}
