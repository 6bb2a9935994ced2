import { createDeletedAccounts } from '../../shared/accounts/deletedAccounts.js';
import { createDeletedAccountSweep } from '../../shared/accounts/deletedAccountSweep.js';
import type { Connections } from '../../shared/connections/connections.js';
import type { Clock } from '../../shared/core/clock.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import type { TopicPartition } from '../../shared/log/client/topicPartition.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import { createAccountReservations } from '../../shared/store/coordination/accountReservations.js';
import { createAccountDeletion } from './accountDeletion.js';
import { createCancelOpenDeliveries } from './cancelOpenDeliveries.js';
import { createSweep, type Sweep } from './openDeliverySweep.js';

/** The sweeps of open deliveries and of deleted accounts. Each assignment restarts the sweep of open deliveries. */
export interface Maintenance extends Pick<Sweep, 'start' | 'stop'> {
  readonly onAssigned: OwnedEvents['add'];
}

export interface MaintenanceContext {
  readonly connections: Pick<Connections, 'models' | 'mongo' | 'offsets' | 'progress'>;
  readonly log: LogAppender;
  /** The number of partitions of each topic. */
  readonly partitions: number;
  /** The time limit of an exchange with a webhook, in milliseconds. */
  readonly attemptTimeoutMs: number;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The time of an attempt in addition to its exchange, for the read of its webhook and the append of its outcome. */
const attemptOverheadMs = 30_000;

export function createMaintenance(context: MaintenanceContext): Maintenance {
  const { connections, log, partitions, attemptTimeoutMs, identifiers, clock, logger } = context;
  const { models, mongo, offsets, progress } = connections;
  const owned = createOwnedEvents(partitions, () => {
    deliverySweep.restart();
  });
  const deliverySweep = createSweep({
    ...{ models, offsets, logger },
    cancelOpen: createCancelOpenDeliveries({
      ...{ log, identifiers, clock },
      events: models.events,
      progress: progress.events,
      isOurs: owned.owns,
    }),
    now: () => performance.now(),
    settledAfterMs: attemptTimeoutMs + attemptOverheadMs,
  });
  const accountSweep = createDeletedAccountSweep({
    ...{ logger, isOurs: owned.owns, now: () => performance.now() },
    deleted: createDeletedAccounts(models.accounts, { clock }),
    sweep: createAccountDeletion({
      ...{ models, log, identifiers, clock, logger },
      reservations: createAccountReservations(mongo.database),
    }),
  });
  return {
    onAssigned: owned.add,
    start: () => {
      deliverySweep.start();
      accountSweep.start();
    },
    stop: async () => {
      await Promise.all([deliverySweep.stop(), accountSweep.stop()]);
    },
  };
}

/** The events whose deliveries this process owns, because it owns the partition of the event in the tiers. */
interface OwnedEvents {
  /** Adds a partition of a tier. Must be called when the partition is assigned, with the signal of the assignment. */
  readonly add: (partition: TopicPartition, signal: AbortSignal) => void;
  readonly owns: (eventId: string) => boolean;
}

/**
 * @param partitions the number of partitions of each topic
 * @param onAdded called when a partition was assigned
 */
function createOwnedEvents(partitions: number, onAdded: () => void): OwnedEvents {
  /**
   * The signals of the assigned partitions, by number. One process owns the same partition of all tiers, so the
   * assignment in one tier is enough.
   */
  const owned = new Map<number, AbortSignal>();
  return {
    add: ({ partition }, signal) => {
      owned.set(partition, signal);
      onAdded();
    },
    owns: (eventId) => owned.get(partitionOf(eventId, partitions))?.aborted === false,
  };
}
