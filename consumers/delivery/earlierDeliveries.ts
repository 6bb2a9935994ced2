import { identifierTime } from '../../shared/domain/identifiers.js';
import type { Delivery } from '../../shared/domain/delivery.js';
import { UnavailableError } from '../../shared/errors.js';
import type { TopicPartition } from '../../shared/kafka/groupConsumer.js';
import type { EndOffsets, TopicOffsets } from '../../shared/kafka/topicOffsets.js';
import { allPartitions, type ModelProgress } from '../../shared/mongo/modelProgress.js';
import type { ReadModels } from '../../shared/mongo/readModels.js';
import type { RawRecord } from '../../shared/topics/record.js';
import type { RecentEvents } from './recentEvents.js';

/** Knows what was done for an event before this process met it. */
export interface EarlierDeliveries {
  /** To be called when a partition becomes ours, with the signal of that assignment. */
  prepare: (partition: TopicPartition, signal: AbortSignal) => void;
  /** The event's deliveries, from the read model; none, without a look, where nobody can have begun any. */
  of: (eventId: string, record: RawRecord, signal: AbortSignal) => Promise<readonly Delivery[]>;
}

/** Where topics ended when a partition became ours. */
interface Assignment {
  readonly events: EndOffsets;
}

const modelTimeoutMs = 4000;
/** A producer that is not ours may append old events again: their ids are older than their records. */
const trustedIdAgeMs = 60_000;

/**
 * An event was met before only where the record stood in the log already when its partition became ours, or its
 * id was seen elsewhere. All others are attempted without a look-up, which is what keeps first attempts fast.
 *
 * Whoever had the partition before appended its outcomes before ours was assigned, so the model knows them all once it
 * has passed the end offsets of `deliveries` taken at that moment. The webhooks and accounts known then must be
 * in their models too, before the first event is matched.
 */
export function createEarlierDeliveries(dependencies: {
  offsets: TopicOffsets;
  models: Pick<ReadModels, 'events'>;
  progress: {
    readonly events: ModelProgress;
    readonly webhooks: ModelProgress;
    readonly accounts: ModelProgress;
  };
  recentEvents: RecentEvents;
}): EarlierDeliveries {
  const { offsets, models, progress, recentEvents } = dependencies;
  const assignments = new WeakMap<AbortSignal, Promise<Assignment>>();

  const prepareAssignment = async (): Promise<Assignment> => {
    const [events, deliveries, webhooks, accounts] = await Promise.all([
      offsets.ends('events'),
      offsets.ends('deliveries'),
      offsets.ends('webhooks'),
      offsets.ends('accounts'),
    ]);
    const reached = await Promise.all([
      progress.events.reached('deliveries', allPartitions(deliveries), modelTimeoutMs),
      progress.webhooks.reached('webhooks', allPartitions(webhooks), modelTimeoutMs),
      progress.accounts.reached('accounts', allPartitions(accounts), modelTimeoutMs),
    ]);
    if (reached.includes(false)) {
      throw new UnavailableError(
        'delivery waits for the read models to hold all that the log held at assignment',
      );
    }
    return { events };
  };

  const prepared = (signal: AbortSignal): Promise<Assignment> => {
    const known = assignments.get(signal);
    if (known !== undefined) {
      return known;
    }
    const preparing = prepareAssignment();
    assignments.set(signal, preparing);
    // The record that waits for it is tried again, and prepares again.
    preparing.catch(() => assignments.delete(signal));
    return preparing;
  };

  // Asked first, since asking is what makes it remembered: the event's next record may pass the other two.
  const wasMaybeMet = (eventId: string, record: RawRecord, { events }: Assignment): boolean =>
    recentEvents.wasSeen(eventId, record) ||
    record.offset < (events[record.partition] ?? 0) ||
    Math.abs(record.timestamp - identifierTime(eventId).getTime()) > trustedIdAgeMs;

  return {
    prepare: (_partition, signal) => {
      void prepared(signal).catch(() => null);
    },
    of: async (eventId, record, signal) => {
      const assignment = await prepared(signal);
      if (!wasMaybeMet(eventId, record, assignment)) {
        return [];
      }
      const { documents } = await models.events.findByIds([eventId]);
      return documents[0]?.deliveries ?? [];
    },
  };
}
