import type { Clock } from '../../shared/core/clock.js';
import type { Connections } from '../../shared/connections/connections.js';
import { createDeletedAccountSweep } from '../../shared/accounts/deletedAccountSweep.js';
import { createDeletedAccounts } from '../../shared/accounts/deletedAccounts.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import type { Logger } from '../../shared/core/logger.js';
import { createAccountReservations } from '../../shared/store/coordination/accountReservations.js';
import { createAccountDeletion } from './accountDeletion.js';
import { createCancelOpenDeliveries } from './cancelOpenDeliveries.js';
import { createSweep, type Sweep } from './sweep.js';
import type { TopicPartition } from '../../shared/log/client/topicPartition.js';
import { partitionOf } from '../../shared/log/topics/partition.js';

/** The sweep of the deliveries, and of the deleted accounts, that this process works on. Each partition that becomes ours restarts it. */
export interface Maintenance extends Pick<Sweep, 'start' | 'stop'> {
  readonly onAssigned: OwnedEvents['add'];
}

export interface MaintenanceContext {
  readonly connections: Pick<Connections, 'models' | 'mongo' | 'offsets' | 'progress'>;
  readonly log: LogAppender;
  /** Partitions of each topic. */
  readonly partitions: number;
  /** The longest exchange with a webhook, in milliseconds. */
  readonly attemptTimeoutMs: number;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What an attempt needs beside its exchange: the state of its webhook before it, and its outcome in the log behind it. */
const besideTheExchangeMs = 30_000;

export function createMaintenance(context: MaintenanceContext): Maintenance {
  const { connections, log, partitions, attemptTimeoutMs, identifiers, clock, logger } = context;
  const { models, mongo, offsets, progress } = connections;
  const owned = createOwnedEvents(partitions, () => {
    maintenance.restart();
  });
  const maintenance = createSweep({
    ...{ models, offsets, logger },
    cancelOpen: createCancelOpenDeliveries({
      ...{ log, identifiers, clock },
      events: models.events,
      progress: progress.events,
      isOurs: owned.owns,
    }),
    now: () => performance.now(),
    settledAfterMs: attemptTimeoutMs + besideTheExchangeMs,
  });
  const ofAccounts = createDeletedAccountSweep({
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
      maintenance.start();
      ofAccounts.start();
    },
    stop: async () => {
      await Promise.all([maintenance.stop(), ofAccounts.stop()]);
    },
  };
}

/** Which events' deliveries this process works on: those whose partition of the tiers is its own. */
interface OwnedEvents {
  /** To be called when a partition of a tier becomes ours, with the signal of that assignment. */
  add: (partition: TopicPartition, signal: AbortSignal) => void;
  owns: (eventId: string) => boolean;
}

/**
 * @param partitions of each topic
 * @param onAdded called when there is more to work on
 */
function createOwnedEvents(partitions: number, onAdded: () => void): OwnedEvents {
  /** All tiers of one partition are one process's, so that one of their assignments stands for the others. */
  const owned = new Map<number, AbortSignal>();
  return {
    add: ({ partition }, signal) => {
      owned.set(partition, signal);
      onAdded();
    },
    owns: (eventId) => owned.get(partitionOf(eventId, partitions))?.aborted === false,
  };
}
