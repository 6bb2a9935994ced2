import { createCommandRunner } from '../shared/commands/commandRunner.js';
import { areReadable } from '../shared/connections/modelChecks.js';
import {
  inOwnProcess,
  type LogLimits,
  type RoleContext,
  type RoleDefinition,
} from '../shared/connections/roleProcess.js';
import { createRandom } from '../shared/core/random.js';
import { createIdentifiers } from '../shared/domain/core/identifiers.js';
import { longestAttemptMs } from '../shared/domain/webhooks/options.js';
import { userAgent } from '../shared/domain/webhooks/requestHeaders.js';
import { createDeadLetters } from '../shared/log/deadLetters/deadLetters.js';
import { createGroupConsumer } from '../shared/log/group/groupConsumer.js';
import { deliveryGroup } from '../shared/log/topics/groups.js';
import { createLeases } from '../shared/store/coordination/leases.js';
import { createDeliveryEngine, maximumInFlight } from './deliveryEngine.js';
import { createEgressProxy, type EgressProxy } from './egress/egressProxy.js';
import { createGroups, type DeliveryGroup } from './groups.js';
import { createHttpAttempt, type HttpAttempt } from './http/httpAttempt.js';
import { startRunningClock } from './latency/processClocks.js';
import { createMaintenance } from './maintenance/maintenance.js';
import { createRetentionRecovery } from './maintenance/retentionRecovery.js';
import { createReplayConsumer } from './replayConsumer.js';
import { rejectExpiredOffsets } from './sources/expiredOffsets.js';
import { startWhenReadable } from './sources/startWhenReady.js';

const logLimits: LogLimits = { deliveryTimeoutMs: 30_000, maximumWaitingBytes: 128 * 1024 * 1024 };
/** How long a stop waits for records in flight. The whole stop takes at most 20 s, with the closing of connections. */
const stopTimeoutMs = 16_000;

/**
 * The role that delivers events to webhooks. Any number of delivery processes share its partitions.
 *
 * ```
 *   consumer group   handler of its records        then
 *   events           sources/firstAttempts.ts    ─┐
 *   requests         sources/deliveryRequests.ts ─┼─► engine/deliver.ts ──► http/ ──► webhook
 *   retries          sources/retries.ts          ─┘        └─► outcome and retry records in the log
 *   replays          replayConsumer.ts           ────► requests in the log
 * ```
 * While a process owns partitions of the retry topics, `maintenance/` cancels deliveries of deleted and disabled
 * webhooks. It also deletes the data of deleted accounts and tenants.
 */
export const deliveryRole: RoleDefinition = {
  name: 'delivery',
  servesHttp: false,
  start: async (context) => {
    const { config, connections, releasers, logger, reportLoss } = context;
    await rejectExpiredOffsets(connections, deliveryGroup(config.topics.prefix).groupId);
    const egressProxy = openEgressProxy(context);
    const groups = createParts(context, egressProxy);
    const { models } = connections;
    // The releaser is added before the groups start: if one group fails to start, the releaser stops the other groups.
    releasers.add('groups', async () => {
      await Promise.all(groups.map((group) => group.stop(stopTimeoutMs)));
    });
    const deferredStart = await startWhenReadable({
      isReadable: () => areReadable(models),
      start: async () => {
        await Promise.all(groups.map((group) => group.start(reportLoss)));
      },
      onFatal: reportLoss,
      logger,
    });
    releasers.add('deferred start of the groups', deferredStart.stop);
    const { kafkaCheck, mongoCheck, readerChecks } = connections;
    return {
      checks: {
        required: [
          ...[kafkaCheck, mongoCheck, ...readerChecks, deferredStart.check],
          ...(egressProxy === null ? [] : [egressProxy.check]),
        ],
      },
    };
  },
};

export const startDelivery = inOwnProcess(deliveryRole);

/** The wiring of the delivery role: the log, the HTTP client, the engine, the maintenance, and the consumer groups. */
function createParts(context: RoleContext, egressProxy: EgressProxy | null): readonly DeliveryGroup[] {
  const { config, logger, clock, metrics, connections, deadLetterProducer: producer } = context;
  const { kafka, mongo, offsets, progress } = connections;
  const { prefix, partitions } = config.topics;
  const { attemptTimeoutMs, webhookConcurrency } = config.delivery;
  const log = context.openLog(logLimits);
  const deadLettersOf = (group: string) =>
    createDeadLetters({ producer, prefix, group, clock, logger, metrics });
  const random = createRandom();
  const identifiers = createIdentifiers(random);
  const engine = createDeliveryEngine({
    config,
    connections,
    log,
    identifiers,
    random,
    clock,
    metrics,
    logger,
    ...openHttp(context, egressProxy),
    egressProxy,
    processClocks: openProcessClocks(context),
    commandRunner: createCommandRunner({
      log,
      offsets,
      clock,
      leases: createLeases(mongo.database),
      readModelMs: config.deadlines.readModelMs,
      progress: { webhooks: progress.webhooks },
    }),
  });
  context.releasers.add('disabling of failing webhooks', engine.autoDisable.stop);
  return createGroups({
    prefix,
    webhookConcurrency,
    connections,
    engine,
    deadLettersOf,
    clock,
    metrics,
    logger,
    maintenance: createMaintenance({
      connections,
      log,
      partitions,
      attemptTimeoutMs,
      identifiers,
      clock,
      logger,
      endedLives: engine.endedLives,
    }),
    retentionRecovery: createRetentionRecovery({
      connections,
      prefix,
      logger,
      resumeDelivery: engine.resumeDelivery,
    }),
    createMember: (group) => createGroupConsumer(kafka, logger, { ...group, prefix }),
    createHandleReplay: (deadLetters) =>
      createReplayConsumer({ ...context, ...engine, identifiers, log, deadLetters }),
  });
}

function openProcessClocks({ releasers }: RoleContext) {
  const { now, stop } = startRunningClock();
  releasers.add('running clock', stop);
  return { now, idleMs: () => performance.eventLoopUtilization().idle };
}

/** The egress proxy. Its close follows the close of the connections that it carries. */
function openEgressProxy({ config, releasers, logger }: RoleContext): EgressProxy | null {
  const address = config.webhooks.egressProxy;
  if (address === null) {
    return null;
  }
  const proxy = createEgressProxy(address, { logger });
  releasers.add('egress proxy', proxy.close);
  return proxy;
}

/** The HTTP client, whose close aborts requests in flight. The process must not record aborted requests as failures. */
function openHttp(
  { config, releasers }: RoleContext,
  egressProxy: EgressProxy | null,
): Pick<HttpAttempt, 'attempt' | 'post'> & { readonly closing: AbortSignal } {
  const { delivery, webhooks } = config;
  const http = createHttpAttempt(
    {
      timeoutMs: delivery.attemptTimeoutMs,
      longestTimeoutMs: longestAttemptMs(delivery.attemptTimeoutMs),
      allowHttp: webhooks.allowHttp,
      allowPrivateAddresses: webhooks.allowPrivateAddresses,
      userAgent,
      // Each attempt in flight has its own connection, so no attempt waits for a connection while its time limit runs.
      maxConnections: maximumInFlight(config),
    },
    { egressProxy },
  );
  const closing = new AbortController();
  releasers.add('connections to webhooks', () => {
    closing.abort();
    http.close();
  });
  return { attempt: http.attempt, post: http.post, closing: closing.signal };
}
