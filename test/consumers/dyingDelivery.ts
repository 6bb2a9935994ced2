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

/** At which append of its event's records the process dies: before the log has it, or before anyone knows that it has. */
export interface Death {
  readonly append: number;
  readonly side: 'before' | 'after';
}

export interface DyingDelivery {
  /** How many of the events have met their death. */
  readonly died: () => number;
  /** Leaves everything unchanged: hanging work never ends. */
  readonly stop: () => Promise<void>;
}

const stopMs = 100;

/** The role `delivery` in this process, over a log whose appends come to an end, for each event at another point. */
export async function startDyingDelivery(
  config: Config,
  deaths: ReadonlyMap<string, Death>,
): Promise<DyingDelivery> {
  const logger = createLogger({ role: 'dying', level: 'silent', isTerminal: false });
  const releasers = createReleasers(logger);
  const connections = await openConnections(config, { role: 'dying', logger, releasers });
  const { prefix } = config.topics;
  const producer = createLogProducer(connections.kafka, {
    ...config.topics,
    deliveryTimeoutMs: 10_000,
    maximumWaitingBytes: 1024 * 1024,
  });
  await producer.connect();
  releasers.add('log', producer.close);
  const http = createHttpAttempt({ ...config.webhooks, timeoutMs: 5000, userAgent: 'dying' });
  releasers.add('http', http.close);
  const log = createDyingLog(producer, deaths);
  const clock = () => new Date();
  const metrics = createMetrics();
  const engine = createDeliveryEngine({
    processClocks: {
      now: () => performance.now(),
      idleMs: () => performance.eventLoopUtilization().idle,
    },
    ...{ config, connections, log, clock, metrics, logger },
    // A crashed process makes no further attempts either.
    attempt: (request) => (log.isDead(request.eventId) ? never() : http.attempt(request)),
    commandRunner: { run: never },
    closing: new AbortController().signal,
    identifiers: createIdentifiers(Math.random),
    random: Math.random,
  });
  const deadLettersOf = () => ({ append: () => Promise.reject(new Error('nothing is to be set aside')) });
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
  return { died: log.died, stop: releasers.releaseAll };
}

interface DyingLog extends LogAppender {
  readonly died: () => number;
  readonly isDead: (eventId: string) => boolean;
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function createDyingLog(log: LogAppender, deaths: ReadonlyMap<string, Death>): DyingLog {
  const appends = new Map<string, number>();
  const dead = new Set<string>();
  const die = (key: string) => {
    dead.add(key);
    return never();
  };

  const appendTogether: LogAppender['appendTogether'] = async (records) => {
    const [{ key }] = records;
    const count = (appends.get(key) ?? 0) + 1;
    appends.set(key, count);
    const death = deaths.get(key);
    const isDue = death !== undefined && count >= death.append;
    if (isDue && (count > death.append || death.side === 'before')) {
      return die(key);
    }
    const position = await log.appendTogether(records);
    return isDue ? die(key) : position;
  };

  return {
    append: (record) => appendTogether([record]),
    appendTogether,
    died: () => dead.size,
    isDead: (id) => dead.has(id),
  };
}
