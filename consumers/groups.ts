import type { Clock } from '../shared/core/clock.js';
import type { Connections } from '../shared/connections/connections.js';
import { tiers } from '../shared/domain/deliveries/tiers.js';
import type { WindowAdmission } from '../shared/log/window/windowAdmission.js';
import type { DeadLetters } from '../shared/log/deadLetters/deadLetters.js';
import type { GroupConsumer, GroupConsumerSettings } from '../shared/log/group/groupConsumer.js';
import { reportGroup } from '../shared/log/lag/groupReport.js';
import { createAssignmentBarrier, type PreparePartition } from '../shared/log/group/assignmentBarrier.js';
import {
  createWindowedConsumer,
  type HandleRecord,
  type WindowedConsumer,
  type WindowedConsumerSettings,
} from '../shared/log/window/windowedConsumer.js';
import { createKeyedSemaphore, type KeyedSemaphore } from '../shared/concurrency/keyedSemaphore.js';
import type { Logger } from '../shared/core/logger.js';
import type { TopicPartition } from '../shared/log/client/topicPartition.js';
import { createWorkInFlight } from '../shared/log/window/workInFlight.js';
import type { Metrics } from '../shared/runtime/metrics.js';
import type { WindowBounds } from '../shared/log/window/windowLimits.js';
import {
  deliveryGroup,
  deliveryGroups,
  replaysGroup,
  requestsGroup,
  retryGroup,
} from '../shared/log/topics/groups.js';
import { fullTopicName, tierTopic, type TopicName } from '../shared/log/topics/names.js';
import { createHandleRedelivery, isRequest } from './sources/redeliveries.js';
import { createHandleRetry } from './sources/retries.js';
import { createDueRetries } from './sources/dueRetries.js';
import { reportRetries } from './sources/reportRetries.js';
import type { Maintenance } from './maintenance/maintenance.js';
import { createWindowShare, type WindowShare } from './fairness/windowShare.js';
import { createHandleEvent } from './sources/firstAttempts.js';
import { createPriorDeliveries } from './sources/priorDeliveries.js';
import type { DeliveryEngine } from './deliveryEngine.js';
import { createRecentEventIds } from './lookups/recentEventIds.js';
import { accountIdOf } from '../shared/log/encoding/cloudEvent.js';

/** What the consumer of a group is created with, apart from the prefix of all topics. */
export type MemberSettings = Omit<GroupConsumerSettings, 'prefix'>;

export interface GroupsContext {
  readonly prefix: string;
  readonly webhookConcurrency: number;
  readonly connections: Pick<Connections, 'offsets'>;
  /** Creates the member of a consumer group through which this process reads its topics. */
  readonly memberOf: (settings: MemberSettings) => GroupConsumer;
  readonly engine: DeliveryEngine;
  /** Work on the records of the topic `replays`. */
  readonly replaysOf: (deadLetters: DeadLetters) => HandleRecord;
  readonly maintenance: Maintenance;
  /** Plans anew what the log has lost of a tier, before anything is read there. */
  readonly retentionRecovery: PreparePartition;
  readonly deadLettersOf: (group: string) => DeadLetters;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** A group of the role, running or not. */
export interface DeliveryGroup extends Pick<WindowedConsumer, 'start' | 'stop'> {
  readonly name: string;
}

const mebibyte = 1024 * 1024;
/**
 * What a group holds in this process. A backlog of 50,000 of one account has room in twelve partitions, so that what stands
 * behind it is met without anything of it being put off.
 */
const bounds: WindowBounds = {
  ofPartition: { records: 10_000, bytes: 8 * mebibyte },
  inAll: { records: 120_000, bytes: 96 * mebibyte },
  least: { records: 1000, bytes: mebibyte },
};
const commitIntervalMs = 500;
/** As many as there may be attempts: each may be of another webhook. */
const recordsOfAccount = 1000;
/**
 * For each attempt that a webhook may have in flight so many due records, some of which are looked up or have their outcome
 * written meanwhile. What is beyond finds it busy and goes back into the log: the slower, the sooner others are met.
 */
const dueRecordsForEachAttempt = 4;
/** Records are handed over as they come; the wait is for a partition that is resumed, of which half a window is still to be worked on. */
const maximumWaitMs = 1000;
const rememberedEvents = 100_000;
/**
 * Of a backlog each fetch is as large as it may be, and is decoded in one go: 8 MiB keep attempts from their turn for some hundred
 * milliseconds. Brokers are asked for partitions in a random order, so that all get their share of so few bytes.
 */
const eventFetch = { maximumWaitMs, maximumBytesPerPartition: 128 * 1024, maximumBytesPerFetch: 512 * 1024 };
/** Outcomes come by the hundred a second, and none of them is to wake the group of the requests by itself. */
const requestFetch = { maximumWaitMs: 1000, minimumBytes: 256 * 1024 };
/** Few records come, and one that does begins at once. */
const replayFetch = { maximumWaitMs: 1500 };
/**
 * There are 84 partitions, and a held head is fetched again with what stands behind it. A partition that is resumed is in the
 * next fetch: the wait is part of how late an attempt may be, and a shorter one costs more where nothing is due.
 */
const tierFetch = { maximumWaitMs: 750, maximumBytesPerPartition: 128 * 1024 };

const holds = new Map<TopicName, number>(tiers.map((tier) => [tierTopic(tier), tier.delayMs]));

/** The groups of the role `delivery`, each with a consumer of its own so that none slows the others. */
export function createGroups(context: GroupsContext): readonly DeliveryGroup[] {
  const { prefix, metrics } = context;
  for (const topic of deliveryGroups(prefix).flatMap(({ topics }) => topics)) {
    metrics.deadLetters.inc({ topic: fullTopicName(prefix, topic) }, 0);
  }
  return [createEvents(context), createRequests(context), createReplayRuns(context), createRetries(context)];
}

function createEvents(context: GroupsContext): DeliveryGroup {
  const { prefix, connections, engine, deadLettersOf } = context;
  const definition = deliveryGroup(prefix);
  const deadLetters = deadLettersOf(definition.groupId);
  const recentEvents = createRecentEventIds(rememberedEvents);
  const priorDeliveries = createPriorDeliveries({ ...engine, recentEvents, offsets: connections.offsets });
  const handle = createHandleEvent({ ...engine, priorDeliveries, deadLetters });
  const group = { ...definition, ...eventFetch };
  const window = { handle, admission: createAdmission() };
  return { name: 'events', ...createConsumer(context, { group, deadLetters, window }) };
}

function createRequests(context: GroupsContext): DeliveryGroup {
  const { prefix, engine, deadLettersOf } = context;
  const definition = requestsGroup(prefix);
  const deadLetters = deadLettersOf(definition.groupId);
  const handle = createHandleRedelivery({ ...engine, deadLetters });
  const group = { ...definition, ...requestFetch };
  const window = { handle, concerns: isRequest, admission: createAdmission() };
  return { name: 'requests', ...createConsumer(context, { group, deadLetters, window }) };
}

function createReplayRuns(context: GroupsContext): DeliveryGroup {
  const { prefix, replaysOf, deadLettersOf } = context;
  const definition = replaysGroup(prefix);
  const deadLetters = deadLettersOf(definition.groupId);
  const handle = replaysOf(deadLetters);
  const group = { ...definition, ...replayFetch };
  return { name: 'replays', ...createConsumer(context, { group, deadLetters, window: { handle } }) };
}

function createRetries(context: GroupsContext): DeliveryGroup {
  const { prefix, connections, engine, maintenance, retentionRecovery: prepare, clock, metrics } = context;
  const webhookSemaphore = createKeyedSemaphore(dueRecordsForEachAttempt * context.webhookConcurrency);
  const deadLetters = createLogOnlyDeadLetters(context);
  const dueRetries = createDueRetries();
  const handle = createHandleRetry({
    ...engine,
    windowShare: createWebhookShare(),
    webhookSemaphore,
    deadLetters,
    dueRetries,
    clock,
  });
  const holdMs = ({ topic }: { readonly topic: TopicName }) => holds.get(topic) ?? 0;
  const group = { ...retryGroup(prefix), ...tierFetch, coPartitioned: true };
  const onAssigned = (partition: TopicPartition, signal: AbortSignal) => {
    engine.assignments.prepare(partition, signal);
    maintenance.onAssigned(partition, signal);
  };
  const consumer = createConsumer(context, {
    ...{ group, deadLetters, prepare },
    window: { handle, holdMs, onAssigned },
  });
  reportRetries({ progress: consumer, dueRetries, offsets: connections.offsets, clock, metrics });
  return {
    name: 'retries',
    start: async (onLost) => {
      await consumer.start(onLost);
      maintenance.start();
    },
    stop: async (deadlineMs) => {
      await Promise.all([maintenance.stop(), consumer.stop(deadlineMs)]);
    },
  };
}

/** Accounts are put off for others alone: where there is none, a full window is what slows its events down. */
function createAdmission(): WindowAdmission {
  const windowShare = createWindowShare({
    ...bounds,
    otherSeenWithinMs: 60_000,
    now: () => performance.now(),
  });
  return createAccountAdmission({ windowShare, accountSemaphore: createKeyedSemaphore(recordsOfAccount) });
}

/** What stands behind in a tier is due, whoever's it is and however long none of it was seen. */
function createWebhookShare(): WindowShare {
  return createWindowShare({
    ...bounds,
    otherSeenWithinMs: Infinity,
    now: () => performance.now(),
  });
}

interface GroupParts {
  readonly group: MemberSettings;
  readonly prepare?: PreparePartition;
  readonly deadLetters: DeadLetters;
  readonly window: Pick<WindowedConsumerSettings, 'handle'> &
    Partial<Pick<WindowedConsumerSettings, 'admission' | 'concerns' | 'holdMs' | 'onAssigned'>>;
}

function createConsumer(
  { connections, memberOf, engine, metrics, logger }: GroupsContext,
  { group, prepare, deadLetters, window: own }: GroupParts,
): WindowedConsumer {
  const member = memberOf(group);
  const consumer = prepare === undefined ? member : createAssignmentBarrier(member, prepare);
  const inFlight = createWorkInFlight();
  const windowed = createWindowedConsumer(
    { consumer, deadLetters, logger },
    {
      ...{ bounds, commitIntervalMs, inFlight },
      ...own,
      onAssigned: (partition, signal) => {
        engine.pausableAttempts.add(signal, inFlight);
        (own.onAssigned ?? engine.assignments.prepare)(partition, signal);
      },
    },
  );
  const holdsRecords = own.holdMs !== undefined;
  const { groupId } = group;
  reportGroup({ group: groupId, progress: windowed, offsets: connections.offsets, metrics, holdsRecords });
  return windowed;
}

/**
 * Has the records of one account wait in a line of their own, the oldest first: partitions are fetched one after the other, and an
 * event of a backlog is not to wait for newer ones because its partition came last. They wait undecoded: of a backlog they are most of what is in
 * memory, and each is copied by every collection of garbage until it is old.
 */
export function createAccountAdmission({
  windowShare,
  accountSemaphore,
}: {
  windowShare: WindowShare;
  accountSemaphore: KeyedSemaphore;
}): WindowAdmission {
  return {
    enter: (record, start) => {
      const accountId = accountIdOf(record);
      if (windowShare.enter(record, accountId)) {
        // What is put off makes room: it does not wait for any itself.
        start(true);
      } else {
        accountSemaphore.enter(accountId, record.timestamp, () => {
          start(false);
        });
      }
    },
    leave: (record, isOverShare) => {
      const accountId = accountIdOf(record);
      windowShare.leave(record, accountId);
      if (!isOverShare) {
        accountSemaphore.leave(accountId);
      }
    },
  };
}

/** Tiers have no dead letters: only the service writes there, and what it cannot read is of use to nobody. */
function createLogOnlyDeadLetters(dependencies: {
  readonly prefix: string;
  readonly logger: Pick<Logger, 'error'>;
  readonly metrics: Pick<Metrics, 'deadLetters'>;
}): DeadLetters {
  return {
    append: ({ topic, partition, offset }, reason) => {
      dependencies.metrics.deadLetters.inc({ topic: fullTopicName(dependencies.prefix, topic) });
      dependencies.logger.error({ topic, partition, offset, reason }, 'a planned attempt cannot be read');
      return Promise.resolve();
    },
  };
}
