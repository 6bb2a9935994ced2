import { randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { Connections } from '../shared/connections/connections.js';
import { inOwnProcess, type RoleDefinition, type RoleServer } from '../shared/connections/roleProcess.js';
import { createFairSemaphore } from '../shared/concurrency/fairSemaphore.js';
import { createPeriodicTask } from '../shared/concurrency/periodicTask.js';
import type { Logger } from '../shared/core/logger.js';
import { createRandom } from '../shared/core/random.js';
import { createIdentifiers } from '../shared/domain/core/identifiers.js';
import { createBoundaryIds, type BoundaryIds } from '../shared/log/client/boundaryIds.js';
import { deliveryGroup } from '../shared/log/topics/groups.js';
import type { Releasers } from '../shared/runtime/lifecycle.js';
import type { ReadinessCheck, RoleChecks } from '../shared/runtime/readiness.js';
import { createPasswords } from '../shared/security/passwords.js';
import { createSecretBox } from '../shared/security/secretBox.js';
import type { Config } from '../shared/settings/config.js';
import { publicUrlOf } from '../shared/runtime/listen.js';
import { createPoolShares, type PoolShares } from '../shared/store/client/poolShares.js';
import { createItemReservations } from '../shared/store/coordination/itemReservations.js';
import { createLastUsed } from '../shared/store/coordination/lastUsed.js';
import { createReservations, shareReservations } from '../shared/store/coordination/reservations.js';
import { createDeliveryHealth } from '../shared/store/health/deliveryHealth.js';
import { shareHealth, shareReads, shareSearches } from '../shared/store/queries/readsWithinShares.js';
import { createRedis, type RedisConnection } from '../shared/store/redis/client.js';
import { createRateLimiter } from '../shared/store/redis/rateLimiter.js';
import { createRedisGuard } from '../shared/store/redis/redisGuard.js';
import { createPortalSessions } from '../shared/store/redis/portalSessions.js';
import { createSessions } from '../shared/store/redis/sessions.js';
import { createSignInThrottle } from '../shared/store/redis/signInThrottle.js';
import { createStreamSlots } from '../shared/store/redis/streamSlots.js';
import { createApp } from './app.js';
import { createTakenUp, type TakenUp } from './catchUp/takenUp.js';
import { readPageFiles } from './dashboard/pageFiles.js';
import { readSwaggerUi } from './documentation/swaggerUi.js';
import { startEventTypes } from './eventTypes/startEventTypes.js';
import { createStoreRetries } from './idempotency/storeRetries.js';
import { startServer, type ApiApplication, type ApiServerDependencies } from './server/server.js';
import { createUnsentBytes } from './server/unsentBytes.js';
import { createWriters } from './writers.js';

/** The most bytes of records that wait for their append. */
const maximumWaitingBytes = 64 * 1024 * 1024;

/** The interval equals that of the other periodic tasks of an idle process, so that they share wake-ups. */
const betweenSnapshotsMs = 2500;

/** How long the start of the API waits for Redis. Sessions need Redis, but requests with API keys do not. */
const redisStartLimitMs = 1000;

/** The role that answers HTTP requests. Any number of API processes can run in parallel. */
export const apiRole: RoleDefinition = {
  name: 'api',
  servesHttp: true,
  start: async (context) => {
    const { config, connections, releasers, clock, metrics, readiness, logger } = context;
    const { prefix, partitions } = config.topics;
    const { mongo, offsets, models, progress } = connections;
    const redis = createRedis(config.redis, logger);
    releasers.add('redis', redis.close);
    const log = context.openLog({ deliveryTimeoutMs: config.deadlines.appendMs, maximumWaitingBytes });
    const group = deliveryGroup(prefix).groupId;
    const takenUp = createTakenUp({ ...connections, group, clock, now: () => performance.now() });
    releasers.add('progress of deliveries', startSnapshots(takenUp, logger));
    const identifiers = createIdentifiers(createRandom());
    const lastUsed = createLastUsed(mongo.database, { clock, logger });
    releasers.add('last used', lastUsed.close);
    const { retryStore, settled } = createStoreRetries(logger);
    releasers.add('idempotency keys', settled);
    const [shares, unsentBytes] = [createPoolShares(mongo.poolSize), createUnsentBytes()];
    const sharedModels = shareReads(models, shares, unsentBytes.requireRoom);
    const eventTypes = startEventTypes({ models, sharedModels }, { metrics, logger, releasers });
    const stopping = new AbortController();
    const boundaryIds = boundaryIdsOf(connections, prefix);
    const application = createApp({
      clock,
      identifiers,
      randomBytes,
      log,
      offsets,
      takenUp,
      unsentBytes,
      lastUsed,
      retryStore,
      boundaryIds,
      models: sharedModels,
      schemaWorkers: eventTypes.workers,
      checks: eventTypes.checks,
      deliveryHealth: shareHealth(createDeliveryHealth(mongo.database, connections.aliasCache), shares),
      searches: shareSearches(models.events, shares),
      eventsProgress: progress.events,
      ...createWriters(connections, log, { config, clock, logger, releasers, identifiers, boundaryIds }),
      ...createRedisStores(redis, logger),
      stopping: stopping.signal,
      ...(await settingsOf(config)),
      ...createEncryptedStores(mongo, config, shares),
      partitions,
      metrics,
      readiness,
      logger,
    });
    await redis.firstReady(redisStartLimitMs);
    const serving = { config, stopping, releasers, identifiers, clock, logger, metrics };
    return {
      checks: checksOf(connections, redis, eventTypes.check),
      server: await serve(application, serving),
    };
  },
};

export const startApi = inOwnProcess(apiRole);

/**
 * Takes snapshots of the progress of deliveries also while no request needs one: a request compares its read with an
 * earlier snapshot if the read models lack records of the newest.
 * @returns a function that stops it
 */
function startSnapshots(takenUp: TakenUp, logger: Logger): () => Promise<void> {
  const snapshots = createPeriodicTask({
    pass: () => takenUp.snapshot().then(() => undefined),
    restMs: betweenSnapshotsMs,
    warning: 'the lag of deliveries is unknown',
    logger,
  });
  snapshots.start();
  return snapshots.stop;
}

/** The reads of boundary ids, of which few run at once, because each opens connections. */
function boundaryIdsOf({ kafka, offsets }: Connections, prefix: string): BoundaryIds {
  const semaphore = createFairSemaphore({
    slots: 4,
    slotsOfKey: 2,
    maximumWaiting: 200,
    maximumWaitingOfKey: 100,
    maximumWaitMs: 5000,
    overload: 'too many requests read the log at once',
    retryAfterSeconds: 1,
  });
  return createBoundaryIds({ kafka, prefix, offsets, semaphore });
}

/** The dependencies that follow from the settings, including the files of the dashboard and the documentation. */
async function settingsOf({ http, webhooks, events, passwordCost }: Config) {
  const folder = await packageFolder();
  return {
    urlRules: webhooks,
    eventExpiryMs: events.expiryMs,
    passwords: createPasswords(passwordCost),
    publicUrl: publicUrlOf(http),
    hasMetricsPort: http.metricsPort !== null,
    trustedProxies: http.trustedProxies,
    pageFiles: await readPageFiles(join(folder, 'dashboard', 'dist')),
    portalFiles: await readPageFiles(join(folder, 'portal', 'dist')),
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
    itemReservations: createItemReservations(database, secretBox, commands),
  };
}

/** The counters and stores in Redis. */
function createRedisStores(redis: RedisConnection, logger: Logger) {
  return {
    rateLimiter: createRateLimiter(redis, logger),
    sessions: createSessions(createRedisGuard(redis, logger, 'sessions cannot be looked up')),
    portalSessions: createPortalSessions(
      createRedisGuard(redis, logger, 'portal sessions cannot be looked up'),
    ),
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
function checksOf(
  { mongoCheck, readerChecks, kafkaCheck }: Connections,
  redis: RedisConnection,
  eventTypes: ReadinessCheck,
): RoleChecks {
  return {
    required: [mongoCheck, ...readerChecks, eventTypes],
    informative: [kafkaCheck, redisCheck(redis)],
  };
}

/** The check of Redis is informative, because requests with API keys work without Redis. */
function redisCheck({ client }: RedisConnection): ReadinessCheck {
  return { name: 'redis', check: () => client.ping().then(() => null) };
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
