import { createSharedTurns } from '../../../shared/concurrency/sharedTurns.js';
import { createFilters } from '../../../shared/filters/filters.js';
import { createOutcomeLog, type OutcomeLog } from '../../../consumers/engine/outcomeLog.js';
import { createPausableAttempts } from '../../../consumers/engine/pausableAttempts.js';
import { createGroups, type DeliveryGroup } from '../../../consumers/groups.js';
import { createRandom } from '../../../shared/core/random.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { createTopicOffsets } from '../../../shared/log/client/topicOffsets.js';
import { createGroupConsumer } from '../../../shared/log/group/groupConsumer.js';
import type { RetryRecord } from '../../../shared/log/records/retry.js';
import { placementOf } from '../../../shared/log/topics/partition.js';
import { createMetrics, type Metrics } from '../../../shared/runtime/metrics.js';
import { testIdentifier } from '../../support/facts.js';
import type { TestLog } from '../../support/log.js';

/** A retry that was due, and when the group handled it. */
export interface HandledRetry {
  readonly retry: Pick<RetryRecord, 'eventId' | 'webhookId'>;
  readonly at: number;
}

/** The retry group over the log of a test. It collects the retries that it would attempt. */
export interface RetryGroup extends DeliveryGroup {
  readonly handled: readonly HandledRetry[];
  readonly metrics: Metrics;
}

const identifiers = createIdentifiers(createRandom());
const clock = () => new Date();

/** Appends retry records to the tiers in the log of a test. */
export function retryLog(log: Pick<TestLog, 'producer'>): OutcomeLog {
  return createOutcomeLog({ log: log.producer, identifiers, clock });
}

export function createRetryGroup(log: TestLog): RetryGroup {
  const handled: HandledRetry[] = [];
  const metrics = createMetrics();
  const unexpected = () => Promise.reject(new Error('the retry group is not expected to call this'));
  const { prefix } = log.config.topics;
  const groups = createGroups({
    webhookConcurrency: 25,
    prefix,
    connections: { offsets: createTopicOffsets(log.admin, prefix), groups: { positions: unexpected } },
    createMember: (group) => createGroupConsumer(log.kafka, log.logger, { ...group, prefix }),
    engine: {
      accountCheck: unexpected,
      assignments: {
        prepare: () => undefined,
        of: () =>
          Promise.resolve({
            assignedAt: 0,
            predatesAssignment: () => false,
            deliveries: [],
            deliveriesAfterHandOver: () => Promise.resolve([]),
          }),
      },
      pausableAttempts: createPausableAttempts(),
      endedLives: { all: unexpected, contain: unexpected },
      states: {
        of: () => Promise.resolve({ deliveries: [] }),
        knownOf: unexpected,
        contentOf: unexpected,
      },
      webhooks: { webhooksOf: unexpected, webhookOf: unexpected },
      filters: createFilters({ turns: createSharedTurns(), seconds: metrics.filterSeconds }),
      log: retryLog(log),
      appendMatched: unexpected,
      park: unexpected,
      inFlight: { run: unexpected, hasDone: () => false },
      release: {
        assign: () => undefined,
        parked: () => undefined,
        homes: () => [],
        ended: () => Promise.resolve(),
      },
      autoDisable: { notice: () => undefined, succeeded: () => undefined, stop: () => Promise.resolve() },
      deliver: unexpected,
      resumeDelivery: ({ identity }) => {
        handled.push({ retry: identity, at: Date.now() });
        return Promise.resolve('done');
      },
    },
    createHandleReplay: () => unexpected,
    maintenance: { onAssigned: () => undefined, start: () => undefined, stop: () => Promise.resolve() },
    retentionRecovery: () => Promise.resolve(null),
    deadLettersOf: () => ({ append: unexpected }),
    clock,
    metrics,
    logger: log.logger,
  });
  const retries = groups.find(({ name }) => name === 'retries');
  if (retries === undefined) {
    throw new Error('the role has no group of retries');
  }
  return { ...retries, handled, metrics };
}

/**
 * A retry record of a new event in its placement.
 * @param partitions the number of partitions of each topic; one by default
 */
export function retryDueAt(due: Date, number: number, partitions = 1): RetryRecord {
  const eventId = identifiers.create('evt', clock());
  const partition = placementOf({ id: eventId }, partitions);
  return {
    eventId,
    accountId: testIdentifier('acct'),
    mode: 'live',
    webhookId: testIdentifier('wh', number),
    cycle: 0,
    number: 2,
    attemptsMade: 1,
    trigger: 'retry',
    replayId: null,
    epoch: 0,
    due,
    positions: { event: { partition, offset: 0 }, outcome: { partition, offset: 0 } },
  };
}
