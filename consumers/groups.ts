import { createKeyedSemaphore } from '../shared/concurrency/keyedSemaphore.js';
import type { Connections } from '../shared/connections/connections.js';
import type { Clock } from '../shared/core/clock.js';
import type { Logger } from '../shared/core/logger.js';
import { tiers } from '../shared/domain/deliveries/schedule.js';
import type { TopicPartition } from '../shared/log/client/topicPartition.js';
import type { DeadLetters } from '../shared/log/deadLetters/deadLetters.js';
import { createAssignmentBarrier, type PreparePartition } from '../shared/log/group/assignmentBarrier.js';
import type { GroupConsumer } from '../shared/log/group/groupConsumer.js';
import type { GroupConsumerSettings } from '../shared/log/group/kafkajsConsumer.js';
import { reportGroup } from '../shared/log/lag/groupReport.js';
import {
  deliveryGroup,
  deliveryGroups,
  replaysGroup,
  requestsGroup,
  retryGroup,
} from '../shared/log/topics/groups.js';
import { fullTopicName, tierTopic, type TopicName } from '../shared/log/topics/names.js';
import type { HandleRecord } from '../shared/log/window/retryingHandler.js';
import type { WindowBounds } from '../shared/log/window/windowLimits.js';
import {
  createWindowedConsumer,
  type WindowedConsumer,
  type WindowedConsumerSettings,
  type WindowAdmission,
} from '../shared/log/window/windowedConsumer.js';
import { createWorkInFlight } from '../shared/log/window/workInFlight.js';
import type { Metrics } from '../shared/runtime/metrics.js';
import type { DeliveryEngine } from './deliveryEngine.js';
import { createAccountAdmission } from './fairness/accountAdmission.js';
import { createTenantSemaphore } from './fairness/tenantSemaphore.js';
import { createWindowShare, type WindowShare } from './fairness/windowShare.js';
import type { Maintenance } from './maintenance/maintenance.js';
import { createHandleDeliveryRequest, isRequest } from './sources/deliveryRequests.js';
import { createHandleEvent } from './sources/firstAttempts.js';
import { createOlderFirst } from './sources/olderFirst.js';
import { createPriorDeliveries, createRecentEventIds } from './sources/priorDeliveries.js';
import { createHandleRetry } from './sources/retries.js';
import { createDueRetries, reportRetries } from './sources/retryReport.js';

/** The settings of a group's consumer, without the topic prefix. */
export type MemberSettings = Omit<GroupConsumerSettings, 'prefix'>;

export interface GroupsContext {
  readonly prefix: string;
  readonly webhookConcurrency: number;
  readonly connections: Pick<Connections, 'offsets'> & {
    readonly groups: Pick<Connections['groups'], 'positions'>;
  };
  /** Creates the consumer with which this process joins a group. */
  readonly createMember: (settings: MemberSettings) => GroupConsumer;
  readonly engine: DeliveryEngine;
  readonly createHandleReplay: (deadLetters: DeadLetters) => HandleRecord;
  readonly maintenance: Maintenance;
  /** Reschedules the retries of a tier that the log has lost, before the consumer reads the tier. */
  readonly retentionRecovery: PreparePartition;
  readonly deadLettersOf: (group: string) => DeadLetters;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** A consumer group of the delivery role, running or not. */
export interface DeliveryGroup extends Pick<WindowedConsumer, 'start' | 'stop'> {
  readonly name: string;
}

const mebibyte = 1024 * 1024;
/**
 * The window of each consumer group. Twelve partitions have room for a backlog of 50,000 events of one account, so that
 * the consumer reads the events behind such a backlog.
 */
const windowBounds: WindowBounds = {
  ofPartition: { records: 10_000, bytes: 8 * mebibyte },
  inAll: { records: 120_000, bytes: 96 * mebibyte },
  least: { records: 1000, bytes: mebibyte },
};
const commitIntervalMs = 500;
/**
 * The records of an account that are handled at once. The limit is about the number of attempt slots, because each
 * record may be for another webhook.
 */
const maximumRecordsOfAccount = 1000;
/**
 * The events of an account whose attempts have not begun and whose webhooks are not in the log. If a process took up
 * more events, each would wait for longer than half a second at full speed, and would cost a record.
 */
const maximumQueuedOfAccount = 300;
/**
 * The due retries of a webhook that are handled at once, for each attempt that the webhook may have in flight. The
 * limit exceeds one, because some retries are in a look-up or wait until the log has their outcome.
 */
const retriesPerAttempt = 4;
/** The same number as `rememberedAttempts` in `deliveryEngine.ts`, for the same reasons. */
const rememberedEvents = 65_536;
/**
 * The fetch settings of the events group. The consumer decodes a fetch at once, and 8 MiB would block the event loop for
 * some hundred milliseconds. It requests partitions in random order, so that each gets a share of the few bytes.
 */
const eventFetch = {
  maximumWaitMs: 1000,
  maximumBytesPerPartition: 128 * 1024,
  maximumBytesPerFetch: 512 * 1024,
};
/** The fetch settings of the requests group. Its topic gets hundreds of outcomes a second, which must not end a fetch. */
const requestFetch = { maximumWaitMs: 1000, minimumBytes: 256 * 1024 };
/** The fetch settings of the replays group. The topic `replays` has few records, and each record ends the fetch. */
const replayFetch = { maximumWaitMs: 1500 };
/**
 * The fetch settings of the retries group, which has 84 partitions. A resumed partition is part of the next fetch, so
 * the maximum wait can delay a retry. A shorter maximum wait costs CPU time while no retry is due.
 */
const tierFetch = { maximumWaitMs: 750, maximumBytesPerPartition: 128 * 1024 };

const tierDelaysMs = new Map<TopicName, number>(tiers.map((tier) => [tierTopic(tier), tier.delayMs]));

/** The consumer groups of the role `delivery`. Each group has its own consumer, so that no group slows the others. */
export function createGroups(context: GroupsContext): readonly DeliveryGroup[] {
  const { prefix, metrics } = context;
  for (const topic of deliveryGroups(prefix).flatMap(({ topics }) => topics)) {
    metrics.deadLetters.inc({ topic: fullTopicName(prefix, topic) }, 0);
  }
  return [
    createEventsGroup(context),
    createRequestsGroup(context),
    createReplaysGroup(context),
    createRetriesGroup(context),
  ];
}

function createEventsGroup(context: GroupsContext): DeliveryGroup {
  const { prefix, connections, engine, deadLettersOf } = context;
  const definition = deliveryGroup(prefix);
  const deadLetters = deadLettersOf(definition.groupId);
  const recentEvents = createRecentEventIds(rememberedEvents);
  const priorDeliveries = createPriorDeliveries({
    ...engine,
    recentEvents,
    offsets: connections.offsets,
    olderFirst: createOlderFirst(),
  });
  const handle = createHandleEvent({ ...engine, priorDeliveries, deadLetters });
  const group = { ...definition, ...eventFetch };
  const readTakenUp: WindowedConsumerSettings['readTakenUp'] = async ({ topic, partition }) => {
    const positions = await connections.groups.positions(definition.groupId, topic);
    return positions[partition]?.takenUp ?? null;
  };
  const window = {
    handle,
    readTakenUp,
    admission: createAdmission(maximumQueuedOfAccount),
  };
  return { name: 'events', ...createConsumer(context, { group, deadLetters, window }) };
}

function createRequestsGroup(context: GroupsContext): DeliveryGroup {
  const { prefix, engine, deadLettersOf } = context;
  const definition = requestsGroup(prefix);
  const deadLetters = deadLettersOf(definition.groupId);
  const handle = createHandleDeliveryRequest({ ...engine, deadLetters });
  const group = { ...definition, ...requestFetch };
  const onAssigned = (partition: TopicPartition, signal: AbortSignal) => {
    engine.assignments.prepare(partition, signal);
    engine.release.assign(partition, signal);
  };
  const window = { handle, filter: isRequest, admission: createAdmission(), onAssigned };
  const consumer = createConsumer(context, { group, deadLetters, window });
  return {
    name: 'requests',
    start: consumer.start,
    stop: async (deadlineMs) => {
      const deadline = performance.now() + deadlineMs;
      await consumer.stop(deadlineMs);
      await engine.release.ended(deadline - performance.now());
    },
  };
}

function createReplaysGroup(context: GroupsContext): DeliveryGroup {
  const { prefix, createHandleReplay, deadLettersOf } = context;
  const definition = replaysGroup(prefix);
  const deadLetters = deadLettersOf(definition.groupId);
  const handle = createHandleReplay(deadLetters);
  const group = { ...definition, ...replayFetch };
  return { name: 'replays', ...createConsumer(context, { group, deadLetters, window: { handle } }) };
}

function createRetriesGroup(context: GroupsContext): DeliveryGroup {
  const { prefix, connections, engine, maintenance, retentionRecovery: prepare, clock, metrics } = context;
  const webhookSemaphore = createKeyedSemaphore(retriesPerAttempt * context.webhookConcurrency);
  const shares = { webhookShare: createTierShare(), tenantShare: createTierShare() };
  const deadLetters = createLogOnlyDeadLetters(context);
  const dueRetries = createDueRetries();
  const handle = createHandleRetry({
    ...engine,
    ...shares,
    webhookSemaphore,
    deadLetters,
    dueRetries,
    clock,
  });
  const holdMs = ({ topic }: { readonly topic: TopicName }) => tierDelaysMs.get(topic) ?? 0;
  const group = { ...retryGroup(prefix), ...tierFetch, coPartitioned: true };
  const onAssigned = (partition: TopicPartition, signal: AbortSignal) => {
    engine.assignments.prepare(partition, signal);
    maintenance.onAssigned(partition, signal);
  };
  const consumer = createConsumer(context, {
    group,
    deadLetters,
    prepare,
    window: { handle, holdMs, onAssigned },
  });
  reportRetries({ progress: consumer, dueRetries, offsets: connections.offsets, clock, metrics });
  return {
    name: 'retries',
    start: async (onFatal) => {
      await consumer.start(onFatal);
      maintenance.start();
    },
    stop: async (deadlineMs) => {
      await Promise.all([maintenance.stop(), consumer.stop(deadlineMs)]);
    },
  };
}

/**
 * The admission of records by account and tenant. An account or a tenant is over its share only while the process reads
 * others. If the process reads one account only, the full window limits that account.
 * @param queued the limit for the records of an account whose work has not begun; no separate limit by default
 */
function createAdmission(queued?: number): WindowAdmission {
  const sharing = { otherSeenWithinMs: 60_000, now: () => performance.now() };
  const semaphoreOf = (limit: number) => createTenantSemaphore({ limit, ...sharing });
  return createAccountAdmission({
    accountShare: createWindowShare({ ...windowBounds, ...sharing }),
    tenantShare: createWindowShare({ ...windowBounds, ...sharing }),
    accountSemaphore: semaphoreOf(maximumRecordsOfAccount),
    ...(queued !== undefined && { queueSemaphore: semaphoreOf(queued) }),
  });
}

/**
 * The window share of webhooks or tenants in the tiers. A webhook or a tenant over its share is always parked, because
 * the records behind it in a tier are due.
 */
function createTierShare(): WindowShare {
  return createWindowShare({
    ...windowBounds,
    otherSeenWithinMs: Infinity,
    now: () => performance.now(),
  });
}

interface GroupParts {
  readonly group: MemberSettings;
  readonly prepare?: PreparePartition;
  readonly deadLetters: DeadLetters;
  readonly window: Pick<WindowedConsumerSettings, 'handle'> &
    Partial<Pick<WindowedConsumerSettings, 'admission' | 'filter' | 'holdMs' | 'onAssigned' | 'readTakenUp'>>;
}

function createConsumer(
  { connections, createMember, engine, metrics, logger }: GroupsContext,
  { group, prepare, deadLetters, window }: GroupParts,
): WindowedConsumer {
  const member = createMember(group);
  const consumer = prepare === undefined ? member : createAssignmentBarrier(member, prepare);
  const inFlight = createWorkInFlight();
  const windowed = createWindowedConsumer(
    { consumer, deadLetters, logger },
    {
      bounds: windowBounds,
      commitIntervalMs,
      inFlight,
      ...window,
      onAssigned: (partition, signal) => {
        engine.pausableAttempts.add(signal, inFlight);
        (window.onAssigned ?? engine.assignments.prepare)(partition, signal);
      },
    },
  );
  const holdsRecords = window.holdMs !== undefined;
  const { groupId } = group;
  reportGroup({ group: groupId, progress: windowed, offsets: connections.offsets, metrics, holdsRecords });
  return windowed;
}

/** The dead letters of the tiers are logged. Tiers need no dead letter topic: only the service writes to them. */
function createLogOnlyDeadLetters(dependencies: {
  readonly prefix: string;
  readonly logger: Pick<Logger, 'error'>;
  readonly metrics: Pick<Metrics, 'deadLetters'>;
}): DeadLetters {
  return {
    append: ({ topic, partition, offset }, reason) => {
      dependencies.metrics.deadLetters.inc({ topic: fullTopicName(dependencies.prefix, topic) });
      dependencies.logger.error({ topic, partition, offset, reason }, 'a retry record cannot be read');
      return Promise.resolve();
    },
  };
}
