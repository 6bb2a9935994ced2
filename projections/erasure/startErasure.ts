import { createDeletedAccountSweep, type DeletedAccounts } from '../../shared/accounts/deletedAccounts.js';
import type { LogLimits, RoleContext } from '../../shared/connections/roleProcess.js';
import { longestAttemptMs } from '../../shared/domain/webhooks/options.js';
import { deliveryGroup } from '../../shared/log/topics/groups.js';
import { createAccountReservations } from '../../shared/store/coordination/accountReservations.js';
import { createLeases } from '../../shared/store/coordination/leases.js';
import { createErasure } from '../../shared/store/queries/erasure.js';
import { createExpiredDocuments } from '../../shared/store/queries/expiredDocuments.js';
import { createTenantDocuments } from '../../shared/store/queries/tenantDocuments.js';
import { createEndedLives } from '../../shared/tenants/endedLives.js';
import { createEraseAccount } from './eraseAccount.js';
import { createExpirySweep } from './expirySweep.js';
import { createSettledLives } from './settledLives.js';
import { createTenantErasure } from './tenantErasure.js';

/**
 * Starts the removal of the data of deleted accounts and tenants, and of expired events. The stops of all three are
 * registered.
 */
export function startErasure(context: RoleContext, deleted: DeletedAccounts): void {
  startAccountErasure(context, deleted);
  startTenantErasure(context);
  startExpiry(context);
}

function startAccountErasure(
  { connections, releasers, logger }: RoleContext,
  deleted: DeletedAccounts,
): void {
  const erasure = createErasure(connections.mongo.database);
  const sweep = createDeletedAccountSweep({
    deleted,
    logger,
    now: () => performance.now(),
    sweep: createEraseAccount({ erasure, logger }),
  });
  sweep.start();
  releasers.add('erasure', sweep.stop);
}

const logLimits: LogLimits = { deliveryTimeoutMs: 30_000, maximumWaitingBytes: 1024 * 1024 };
/** The time of an attempt in addition to its exchange, for the read of its webhook and the append of its outcome. */
const attemptOverheadMs = 30_000;

/** The removal of the data of deleted tenants, with its metric. */
function startTenantErasure(context: RoleContext): void {
  const { config, connections, releasers, metrics, clock, logger, openLog } = context;
  const { mongo, models, groups, offsets, aliases, generations } = connections;
  const endedLives = createEndedLives(models.tenants);
  const now = () => performance.now();
  const erasure = createTenantErasure({
    endedLives,
    logger,
    now,
    log: openLog(logLimits),
    documents: createTenantDocuments(mongo.database),
    reservations: createAccountReservations(mongo.database),
    leases: createLeases(mongo.database),
    settled: createSettledLives({
      groups,
      offsets,
      aliases,
      generations,
      now,
      deliveryGroup: deliveryGroup(config.topics.prefix),
      settledAfterMs: longestAttemptMs(config.delivery.attemptTimeoutMs) + attemptOverheadMs,
    }),
  });
  releasers.add(
    'metric of erasures',
    metrics.onScrape(async () => {
      const deletions = (await endedLives.all()).map(({ deletedAt }) => deletedAt.getTime());
      const oldest = Math.min(clock().getTime(), ...deletions);
      metrics.oldestErasureSeconds.set((clock().getTime() - oldest) / 1000);
    }),
  );
  erasure.start();
  releasers.add('erasure of tenants', erasure.stop);
}

/** The removal of old events, if a setting limits their age. */
function startExpiry({ config, connections, releasers, clock, logger }: RoleContext): void {
  const { mongo, progress, offsets, groups } = connections;
  const { expiryMs } = config.events;
  if (expiryMs === null) {
    return;
  }
  const sweep = createExpirySweep({
    offsets,
    groups,
    clock,
    logger,
    expiryMs,
    documents: createExpiredDocuments(mongo.database),
    leases: createLeases(mongo.database),
    progress: progress.events,
    deliveryGroup: deliveryGroup(config.topics.prefix),
  });
  sweep.start();
  releasers.add('expiry of events', sweep.stop);
}
