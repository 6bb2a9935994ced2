import type { LogLimits, RoleContext } from '../../shared/connections/roleProcess.js';
import { longestAttemptMs } from '../../shared/domain/webhooks/options.js';
import { deliveryGroup } from '../../shared/log/topics/groups.js';
import { createAccountReservations } from '../../shared/store/coordination/accountReservations.js';
import { createLeases } from '../../shared/store/coordination/leases.js';
import { createTenantDocuments } from '../../shared/store/queries/tenantDocuments.js';
import { createEndedLives } from '../../shared/tenants/endedLives.js';
import { createSettledLives } from './settledLives.js';
import { createTenantErasure } from './tenantErasure.js';

const logLimits: LogLimits = { deliveryTimeoutMs: 30_000, maximumWaitingBytes: 1024 * 1024 };
/** The time of an attempt in addition to its exchange, for the read of its webhook and the append of its outcome. */
const attemptOverheadMs = 30_000;

/** Starts the removal of the data of deleted tenants, with its metric, and registers its stop. */
export function startTenantErasure(context: RoleContext): void {
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
