import { createGroupAttempts } from '../../../consumers/delivery/groupAttempts.js';
import { createGroups, type DeliveryGroup } from '../../../consumers/delivery/groups.js';
import { createPairLog, type PairLog } from '../../../consumers/delivery/pairLog.js';
import { createIdentifiers } from '../../../shared/domain/identifiers.js';
import { createGroupConsumer } from '../../../shared/kafka/groupConsumer.js';
import { createMetrics, type Metrics } from '../../../shared/metrics.js';
import { createRandom } from '../../../shared/random.js';
import { createTopicOffsets } from '../../../shared/kafka/topicOffsets.js';
import type { Work } from '../../../shared/topics/work.js';
import { testIdentifier } from '../../support/facts.js';
import type { TestLog } from '../../support/log.js';

/** A planned attempt that has come out of the tiers, and when. */
export interface Begun {
  readonly work: Pick<Work, 'eventId' | 'webhookId'>;
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
export function tierLog(log: Pick<TestLog, 'producer'>): PairLog {
  return createPairLog({ log: log.producer, identifiers, clock });
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
    work: {
      refusedAccount: unexpected,
      assignments: {
        prepare: () => undefined,
        of: () =>
          Promise.resolve({
            stood: () => false,
            deliveries: [],
            deliveriesAfterHandOver: () => Promise.resolve([]),
          }),
      },
      groupAttempts: createGroupAttempts(),
      states: {
        of: () => Promise.resolve({ deliveries: [] }),
        knownOf: unexpected,
        contentOf: unexpected,
      },
      webhooks: { webhooksOf: unexpected },
      log: tierLog(log),
      deferrals: {
        defer: () => {
          throw new Error('nothing is crowded here');
        },
      },
      failingWatch: { notice: () => undefined, stop: () => Promise.resolve() },
      deliverPair: unexpected,
      pursuePair: ({ identity }) => {
        begun.push({ work: identity, at: Date.now() });
        return Promise.resolve('done');
      },
    },
    replaysOf: () => unexpected,
    sweep: { onAssigned: () => undefined, start: () => undefined, stop: () => Promise.resolve() },
    lostWork: () => Promise.resolve(null),
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
export function workDueAt(due: Date, number: number): Work {
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
