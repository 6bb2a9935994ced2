import type { Clock } from '../../shared/clock.js';
import type { DeliveryFact } from '../../shared/domain/delivery.js';
import type { Identifiers } from '../../shared/domain/identifiers.js';
import { tierFor, tiers, type Tier } from '../../shared/domain/tiers.js';
import type { LogAppender } from '../../shared/kafka/laneProducer.js';
import { deliveryRecords } from '../../shared/topics/deliveries.js';
import { encodeWork, type LogPosition, type Work } from '../../shared/topics/work.js';
import type { Pair } from './pair.js';

/** Writes what becomes of pairs. Each resolves once all in-sync replicas have it, however long that takes. */
export interface PairLog {
  /**
   * Appends facts of a pair together, in their order.
   * @returns where the first one stands
   */
  record: (pair: Pair, facts: readonly [DeliveryFact, ...DeliveryFact[]]) => Promise<LogPosition>;
  /** Appends the work record of an attempt that is planned, to the tier that its due time asks for, or to this one. */
  plan: (work: Work, tier?: Tier) => Promise<void>;
}

export interface PairLogDependencies {
  /** One that appends until it is acknowledged. */
  readonly log: LogAppender;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
}

export function createPairLog({ log, identifiers, clock }: PairLogDependencies): PairLog {
  const encode = ({ eventId: key, accountId, mode }: Pair, fact: DeliveryFact) => {
    const at = clock();
    return deliveryRecords.encode(fact, { id: identifiers.createRecordId(at), key, accountId, mode, at });
  };

  return {
    record: async (pair, [first, ...others]) => {
      const { partition, offset } = await log.appendTogether([
        encode(pair, first),
        ...others.map((fact) => encode(pair, fact)),
      ]);
      return { partition, offset };
    },
    plan: async (work, asked) => {
      const at = clock();
      // What is due sooner than the shortest tier waits there all the same: in memory alone it would be lost in a crash.
      const tier = asked ?? tierFor(work.due.getTime() - at.getTime()) ?? tiers[0];
      await log.append(encodeWork(work, tier, { id: identifiers.createRecordId(at), at }));
    },
  };
}
