import type { Clock } from '../../shared/clock.js';
import type { Connections } from '../../shared/connections.js';
import { createDeletedAccountSweep } from '../../shared/deletedAccountSweep.js';
import { createDeletedAccounts } from '../../shared/deletedAccounts.js';
import type { Identifiers } from '../../shared/domain/identifiers.js';
import type { LogAppender } from '../../shared/kafka/laneProducer.js';
import type { Logger } from '../../shared/logger.js';
import { createAccountReservations } from '../../shared/mongo/accountReservations.js';
import { createEndAccount } from '../erasing/endAccount.js';
import { createCancelOpenDeliveries } from './cancelOpenDeliveries.js';
import { createOwnedEvents, type OwnedEvents } from './ownedEvents.js';
import { createSweep, type Sweep } from './sweep.js';

/** The sweep of the deliveries, and of the deleted accounts, that this process works on. Each partition that becomes ours restarts it. */
export interface OwnedSweep extends Pick<Sweep, 'start' | 'stop'> {
  readonly onAssigned: OwnedEvents['add'];
}

export interface OwnedSweepContext {
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

export function createOwnedSweep(context: OwnedSweepContext): OwnedSweep {
  const { connections, log, partitions, attemptTimeoutMs, identifiers, clock, logger } = context;
  const { models, mongo, offsets, progress } = connections;
  const owned = createOwnedEvents(partitions, () => {
    sweep.restart();
  });
  const sweep = createSweep({
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
    sweep: createEndAccount({
      ...{ models, log, identifiers, clock, logger },
      reservations: createAccountReservations(mongo.database),
    }),
  });
  return {
    onAssigned: owned.add,
    start: () => {
      sweep.start();
      ofAccounts.start();
    },
    stop: async () => {
      await Promise.all([sweep.stop(), ofAccounts.stop()]);
    },
  };
}
