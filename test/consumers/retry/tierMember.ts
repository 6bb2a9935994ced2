import { createPausableAttempts } from '../../../consumers/engine/pausableAttempts.js';
import { createGroups, type DeliveryGroup } from '../../../consumers/groups.js';
import { createOutcomeLog, type OutcomeLog } from '../../../consumers/engine/outcomeLog.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { createGroupConsumer } from '../../../shared/log/group/groupConsumer.js';
import { createMetrics, type Metrics } from '../../../shared/runtime/metrics.js';
import { createRandom } from '../../../shared/core/random.js';
import { createTopicOffsets } from '../../../shared/log/client/topicOffsets.js';
import type { RetryRecord } from '../../../shared/log/records/retry.js';
import { testIdentifier } from '../../support/facts.js';
import type { TestLog } from '../../support/log.js';

/** A planned attempt that has come out of the tiers, and when. */
export interface Begun {
  readonly work: Pick<RetryRecord, 'eventId' | 'webhookId'>;
  readonly at: number;
}

/** The retry group over a test's log, which notes what it would attempt. */
export interface TierMember extends DeliveryGroup {
  readonly begun: readonly Begun[];
  readonly metrics: Metrics;
}

const identifiers = createIdentifiers(createRandom());
const clock = () => new Date();

/** Writes work records to the tiers of a test's log. */
export function tierLog(log: Pick<TestLog, 'producer'>): OutcomeLog {
  return createOutcomeLog({ log: log.producer, identifiers, clock });
}

export function createTierMember(log: TestLog): TierMember {
  const begun: Begun[] = [];
  const metrics = createMetrics();
  const unexpected = () => Promise.reject(new Error('the retry group has no use for this'));
  const { prefix } = log.config.topics;
  const groups = createGroups({
    webhookConcurrency: 25,
    prefix,
    connections: { offsets: createTopicOffsets(log.admin, prefix) },
    memberOf: (group) => createGroupConsumer(log.kafka, log.logger, { ...group, prefix }),
    engine: {
      accountCheck: unexpected,
      assignments: {
        prepare: () => undefined,
        of: () =>
          Promise.resolve({
            predatesAssignment: () => false,
            deliveries: [],
            deliveriesAfterHandOver: () => Promise.resolve([]),
          }),
      },
      pausableAttempts: createPausableAttempts(),
      states: {
        of: () => Promise.resolve({ deliveries: [] }),
        knownOf: unexpected,
        contentOf: unexpected,
      },
      webhooks: { webhooksOf: unexpected, webhookOf: unexpected },
      log: tierLog(log),
      deferrals: {
        defer: () => {
          throw new Error('nothing is crowded here');
        },
      },
      autoDisable: { notice: () => undefined, stop: () => Promise.resolve() },
      deliver: unexpected,
      resumeDelivery: ({ identity }) => {
        begun.push({ work: identity, at: Date.now() });
        return Promise.resolve('done');
      },
    },
    replaysOf: () => unexpected,
    maintenance: { onAssigned: () => undefined, start: () => undefined, stop: () => Promise.resolve() },
    retentionRecovery: () => Promise.resolve(null),
    deadLettersOf: () => ({ append: unexpected }),
    clock,
    metrics,
    logger: log.logger,
  });
  const retries = groups.find(({ name }) => name === 'retries');
  if (retries === undefined) {
    throw new Error('there is no group of retries');
  }
  return { ...retries, begun, metrics };
}

/** A planned attempt of an event of its own. */
export function workDueAt(due: Date, number: number): RetryRecord {
  return {
    eventId: identifiers.create('evt', clock()),
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
    positions: { event: { partition: 0, offset: 0 }, outcome: { partition: 0, offset: 0 } },
  };
}
