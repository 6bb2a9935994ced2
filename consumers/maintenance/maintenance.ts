import { createDeletedAccounts, createDeletedAccountSweep } from '../../shared/accounts/deletedAccounts.js';
import type { Connections } from '../../shared/connections/connections.js';
import type { Clock } from '../../shared/core/clock.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import { longestAttemptMs } from '../../shared/domain/webhooks/options.js';
import type { TopicPartition } from '../../shared/log/client/topicPartition.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import { createAccountReservations } from '../../shared/store/coordination/accountReservations.js';
import { createEndWebhooks } from '../../shared/tenants/endWebhooks.js';
import type { EndedLives } from '../../shared/tenants/endedLives.js';
import { createAccountDeletion } from './accountDeletion.js';
import { createCancelOpenDeliveries } from './cancelOpenDeliveries.js';
import { createCancelTenantDeliveries } from './cancelTenantDeliveries.js';
import { createSweep, type Sweep } from './openDeliverySweep.js';
import { createTenantDeletion } from './tenantDeletion.js';

/**
 * The sweeps of open deliveries, of deleted accounts and of deleted tenants. Each assignment restarts the sweeps of
 * deliveries.
 */
export interface Maintenance extends Pick<Sweep, 'start' | 'stop'> {
  readonly onAssigned: OwnedPartitions['add'];
}

export interface MaintenanceContext {
  readonly connections: Pick<Connections, 'models' | 'mongo' | 'offsets' | 'progress'>;
  readonly endedLives: EndedLives;
  readonly log: LogAppender;
  /** The number of partitions of each topic. */
  readonly partitions: number;
  /** The time limit of an exchange with a webhook without `timeoutSeconds`, in milliseconds. */
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
  const owned = createOwnedPartitions(() => {
    deliverySweep.restart();
    tenantDeletion.restart();
  });
  const now = () => performance.now();
  const deliveries = { log, identifiers, clock, progress: progress.events, isOurs: owned.owns };
  const deliverySweep = createSweep({
    models,
    offsets,
    logger,
    cancelOpen: createCancelOpenDeliveries({
      ...deliveries,
      events: models.events,
      replays: models.replays,
    }),
    now,
    settledAfterMs: longestAttemptMs(attemptTimeoutMs) + attemptOverheadMs,
  });
  const tenantDeletion = createTenantDeletion({
    endedLives: context.endedLives,
    logger,
    now,
    isOurs: (key) => owned.owns(partitionOf(key, partitions)),
    endWebhooks: createEndWebhooks({ log, webhooks: models.webhooks, progress: progress.webhooks }),
    cancelDeliveries: createCancelTenantDeliveries({ ...deliveries, events: models.events }),
  });
  const accountSweep = createDeletedAccountSweep({
    logger,
    now,
    isOurs: (accountId) => owned.owns(partitionOf(accountId, partitions)),
    deleted: createDeletedAccounts(models.accounts, { clock }),
    sweep: createAccountDeletion({
      models,
      log,
      identifiers,
      clock,
      logger,
      progress: progress.webhooks,
      reservations: createAccountReservations(mongo.database),
    }),
  });
  return {
    onAssigned: owned.add,
    start: () => {
      deliverySweep.start();
      accountSweep.start();
      tenantDeletion.start();
    },
    stop: async () => {
      await Promise.all([deliverySweep.stop(), accountSweep.stop(), tenantDeletion.stop()]);
    },
  };
}

/** The partitions whose deliveries this process owns, because it owns the partitions with their numbers in the tiers. */
interface OwnedPartitions {
  /** Adds a partition of a tier. Must be called when the partition is assigned, with the signal of the assignment. */
  readonly add: (partition: TopicPartition, signal: AbortSignal) => void;
  readonly owns: (partition: number) => boolean;
}

/** @param onAdded called when a partition was assigned */
function createOwnedPartitions(onAdded: () => void): OwnedPartitions {
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
    owns: (partition) => owned.get(partition)?.aborted === false,
  };
}
