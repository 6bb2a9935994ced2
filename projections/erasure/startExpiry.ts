import type { Clock } from '../../shared/core/clock.js';
import type { Config } from '../../shared/settings/config.js';
import type { Connections } from '../../shared/connections/connections.js';
import type { Releasers } from '../../shared/runtime/lifecycle.js';
import type { Logger } from '../../shared/core/logger.js';
import { createExpiredDocuments } from '../../shared/store/queries/expiredDocuments.js';
import { createLeases } from '../../shared/store/coordination/leases.js';
import { deliveryGroup } from '../../shared/log/topics/groups.js';
import { createExpirySweep } from './expirySweep.js';

export interface ExpiryContext {
  readonly connections: Pick<Connections, 'mongo' | 'progress' | 'offsets' | 'groups'>;
  readonly releasers: Releasers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Starts to remove old events where a setting says how old, and registers how to stop. */
export function startExpiry(
  { events, topics }: Pick<Config, 'events' | 'topics'>,
  context: ExpiryContext,
): void {
  const { connections, releasers, clock, logger } = context;
  const { mongo, progress, offsets, groups } = connections;
  if (events.expiryMs === null) {
    return;
  }
  const sweep = createExpirySweep({
    ...{ offsets, groups, clock, logger, expiryMs: events.expiryMs },
    documents: createExpiredDocuments(mongo.database),
    leases: createLeases(mongo.database),
    progress: progress.events,
    deliveryGroup: deliveryGroup(topics.prefix),
  });
  sweep.start();
  releasers.add('expiry of events', sweep.stop);
}
