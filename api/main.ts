import { randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { createCommandRunner, type CommandRunner } from '../shared/commands/commandRunner.js';
import type { Connections } from '../shared/connections/connections.js';
import {
  inOwnProcess,
  type LogLimits,
  type RoleDefinition,
  type RoleServer,
} from '../shared/connections/roleProcess.js';
import type { Clock } from '../shared/core/clock.js';
import type { Logger } from '../shared/core/logger.js';
import { createRandom } from '../shared/core/random.js';
import { createIdentifiers, type Identifiers } from '../shared/domain/core/identifiers.js';
import { createAccountKeys } from '../shared/encryption/accountKeys.js';
import { createSealingLog } from '../shared/encryption/sealingLog.js';
import type { LogAppender } from '../shared/log/producer/producer.js';
import { deliveryGroup } from '../shared/log/topics/groups.js';
import type { Releasers } from '../shared/runtime/lifecycle.js';
import type { ReadinessCheck, RoleChecks } from '../shared/runtime/readiness.js';
import type { RunningRole } from '../shared/runtime/role.js';
import { createPasswords } from '../shared/security/passwords.js';
import { createSecretBox } from '../shared/security/secretBox.js';
import { createSecurityLog } from '../shared/security/securityLog.js';
import type { Config } from '../shared/settings/config.js';
import { publicUrlOf } from '../shared/runtime/listen.js';
import { createPoolShares, type PoolShares } from '../shared/store/client/poolShares.js';
import { createLastUsed } from '../shared/store/coordination/lastUsed.js';
import { createLeases } from '../shared/store/coordination/leases.js';
import { createReservations, shareReservations } from '../shared/store/coordination/reservations.js';
import { shareReads } from '../shared/store/queries/readsWithinShares.js';
import { createRedis, type RedisConnection } from '../shared/store/redis/client.js';
import { createRateLimiter } from '../shared/store/redis/rateLimiter.js';
import { createRedisGuard } from '../shared/store/redis/redisGuard.js';
import { createSessions } from '../shared/store/redis/sessions.js';
import { createSignInThrottle } from '../shared/store/redis/signInThrottle.js';
import { createStreamSlots } from '../shared/store/redis/streamSlots.js';
import { createApp } from './app.js';
import { createAuditTrail } from './auditTrail/auditTrail.js';
import { createAuditWriter } from './auditTrail/auditWriter.js';
import { startDeliveryCatchUp } from './catchUp/deliveryCatchUp.js';
import { readPageFiles } from './dashboard/pageFiles.js';
import { readSwaggerUi } from './documentation/swaggerUi.js';
import { startServer, type ApiApplication, type ApiServerDependencies } from './server/server.js';
import { createUnsentBytes } from './server/unsentBytes.js';

/**
 * The limits of appends to the log. A client waits for the acknowledgement, so the timeout gives the client a 503
 * instead of no response.
 */
const logLimits: LogLimits = { deliveryTimeoutMs: 8000, maximumWaitingBytes: 64 * 1024 * 1024 };

/**
 * The default CPU priority of the API, which is below that of deliveries. With equal priorities, a saturated machine
 * accepts events faster than it delivers them.
 */
const defaultNiceness = 2;
/**
 * The CPU priority of the API while deliveries catch up after a crash or an outage. New events would only wait behind
 * the backlog of deliveries.
 */
const catchUpNiceness = 8;

/** How long the start of the API waits for Redis. Sessions need Redis, but requests with API keys do not. */
const redisStartLimitMs = 1000;

/** The role that answers HTTP requests. Any number of API processes can run in parallel. */
export const apiRole: RoleDefinition = {
  name: 'api',
  servesHttp: true,
  start: async (context) => {
    const { config, connections, releasers, clock, metrics, readiness, logger } = context;
    const { prefix, partitions } = config.topics;
    const { mongo, offsets, groups, models, progress } = connections;
    const redis = createRedis(config.redis, logger);
    releasers.add('redis', redis.close);
    const log = context.openLog(logLimits);
    const niceness = startNiceness(connections, { prefix, releasers, logger });
    const identifiers = createIdentifiers(createRandom());
    const lastUsed = createLastUsed(mongo.database, { clock, logger });
    releasers.add('last used', lastUsed.close);
    const [shares, unsentBytes] = [createPoolShares(mongo.poolSize), createUnsentBytes()];
    const stopping = new AbortController();
    const application = createApp({
      ...{ clock, identifiers, randomBytes, log, offsets, groups, unsentBytes, lastUsed },
      deliveryGroup: deliveryGroup(prefix).groupId,
      models: shareReads(models, shares, unsentBytes.requireRoom),
      eventsProgress: progress.events,
      ...createWriters(connections, log, { config, clock, logger, releasers, identifiers }),
      ...createRedisStores(redis, logger),
      stopping: stopping.signal,
      ...(await settingsOf(config)),
      ...createEncryptedStores(mongo, config, shares),
      ...{ partitions, metrics, readiness, logger },
    });
    await redis.firstReady(redisStartLimitMs);
    const serving = { config, stopping, releasers, identifiers, clock, logger, metrics };
    return { checks: checksOf(connections, redis), niceness, server: await serve(application, serving) };
  },
};

export const startApi = inOwnProcess(apiRole);

/** @returns the current niceness of this process */
function startNiceness(
  connections: Connections,
  { prefix, releasers, logger }: { prefix: string; releasers: Releasers; logger: Logger },
): RunningRole['niceness'] {
  const group = deliveryGroup(prefix).groupId;
  const catchUp = startDeliveryCatchUp({ ...connections, group, logger });
  releasers.add('delivery catch-up', catchUp.stop);
  return () => (catchUp.isCatchingUp() ? catchUpNiceness : defaultNiceness);
}

interface WriterOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly releasers: Releasers;
  readonly identifiers: Identifiers;
}

/** The writers to the topics of commands. The writers finish their appends when the role stops. */
function createWriters(
  connections: Connections,
  producer: LogAppender,
  { config, clock, logger, releasers, identifiers }: WriterOptions,
) {
  const log = sealingLog(connections, producer, config, clock);
  const securityLog = createSecurityLog(logger, () => performance.now());
  const auditWriter = createAuditWriter(log, securityLog);
  releasers.add('audit log', auditWriter.close);
  return {
    commandRunner: createCommands(connections, log, clock),
    auditTrail: createAuditTrail({ auditWriter, securityLog, clock, identifiers }),
  };
}

/** The dependencies that follow from the settings, including the files of the dashboard and the documentation. */
async function settingsOf({ http, webhooks, events }: Config) {
  const folder = await packageFolder();
  return {
    urlRules: webhooks,
    eventExpiryMs: events.expiryMs,
    passwords: createPasswords(),
    publicUrl: publicUrlOf(http),
    hasMetricsPort: http.metricsPort !== null,
    trustedProxies: http.trustedProxies,
    pageFiles: await readPageFiles(join(folder, 'dashboard', 'dist')),
    swaggerUi: await readSwaggerUi(join(folder, 'dist', 'swagger-ui')),
  };
}

/** The MongoDB stores that use the encryption keys. */
function createEncryptedStores(
  { database }: Connections['mongo'],
  { encryptionKeys }: Config,
  { commands }: PoolShares,
) {
  const secretBox = createSecretBox(encryptionKeys);
  return {
    secretBox,
    encryptionKeys,
    reservations: shareReservations(createReservations(database, secretBox), commands),
  };
}

/** The counters and stores in Redis. */
function createRedisStores(redis: RedisConnection, logger: Logger) {
  return {
    rateLimiter: createRateLimiter(redis, logger),
    sessions: createSessions(createRedisGuard(redis, logger, 'sessions cannot be looked up')),
    signInThrottle: createSignInThrottle(redis),
    streamSlots: createStreamSlots(createRedisGuard(redis, logger, 'streams cannot be counted')),
  };
}

interface ServeDependencies extends ApiServerDependencies {
  readonly config: Config;
  /** The controller whose abort ends the event streams. */
  readonly stopping: AbortController;
  readonly releasers: Releasers;
}

/** Serves HTTP requests. A stop ends the event streams, then waits for the requests in flight. */
async function serve(
  application: ApiApplication,
  { config: { http }, stopping, releasers, ...dependencies }: ServeDependencies,
): Promise<RoleServer> {
  const server = await startServer(application, dependencies, http);
  releasers.add('http server', server.stop);
  releasers.add('streams', () => {
    stopping.abort();
  });
  return {
    address: server.address,
    drain: async () => {
      server.drain();
      await pause(http.drainDelayMs);
    },
  };
}

/** The readiness checks of the API. Readiness does not depend on Kafka or Redis, because reads work without them. */
function checksOf({ mongoCheck, readerChecks, kafkaCheck }: Connections, redis: RedisConnection): RoleChecks {
  return { required: [mongoCheck, ...readerChecks], informative: [kafkaCheck, redisCheck(redis)] };
}

/** The check of Redis is informative, because requests with API keys work without Redis. */
function redisCheck({ client }: RedisConnection): ReadinessCheck {
  return { name: 'redis', check: () => client.ping().then(() => null) };
}

/**
 * The log of commands. The log encrypts personal data with one key per account, so that destroying the key destroys the
 * data.
 */
function sealingLog(
  connections: Connections,
  producer: LogAppender,
  { encryptionKeys }: Config,
  clock: Clock,
): LogAppender {
  const keys = createAccountKeys(connections, encryptionKeys);
  return createSealingLog({ log: producer, keys, clock });
}

/** Runs the commands of each topic. A command waits for the progress of the read model that applies it. */
function createCommands(
  { mongo, offsets, progress }: Connections,
  log: LogAppender,
  clock: Clock,
): CommandRunner {
  const { webhooks, accounts, replays, events } = progress;
  return createCommandRunner({
    log,
    offsets,
    leases: createLeases(mongo.database),
    clock,
    progress: { webhooks, accounts, replays, deliveries: events },
  });
}

/**
 * The closest parent folder with a package.json. Compiled code and sources are at different depths below the package
 * folder.
 */
async function packageFolder(): Promise<string> {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!(await isThere(join(folder, 'package.json'))) && folder !== dirname(folder)) {
    folder = dirname(folder);
  }
  return folder;
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
