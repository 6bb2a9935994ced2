import { inParallel } from '../../shared/concurrency/inParallel.js';
import { createPeriodicTask, type PeriodicTask } from '../../shared/concurrency/periodicTask.js';
import type { Logger } from '../../shared/core/logger.js';
import { tenantKey } from '../../shared/domain/tenants/tenant.js';
import type { EndedLives, EndingLife } from '../../shared/tenants/endedLives.js';
import type { EndWebhooks } from '../../shared/tenants/endWebhooks.js';
import { systemActor } from '../retry/disableWebhook.js';
import type { CancelTenantDeliveries } from './cancelTenantDeliveries.js';

export interface TenantDeletionDependencies {
  readonly endedLives: Pick<EndedLives, 'all'>;
  readonly endWebhooks: EndWebhooks;
  readonly cancelDeliveries: CancelTenantDeliveries;
  /** Whether this process deletes the webhooks of a tenant, by the record key of the tenant. */
  readonly isOurs: (key: string) => boolean;
  readonly logger: Logger;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** The pause between two passes, in milliseconds; one second by default. */
  readonly restMs?: number;
}

export interface TenantDeletion extends PeriodicTask {
  /** Makes all lives due. Must be called when this process owns more partitions than before. */
  readonly restart: () => void;
}

interface Deletion {
  readonly life: EndingLife;
  readonly since: number;
  /** When the next pass over the life is due, by `now`. */
  nextAt: number;
}

const defaultRestMs = 1000;
/** The longest pause between two passes over a life. The pause grows with the time since the life was found. */
const longestPauseMs = 10_000;
/**
 * The time in which the API process that has decided a deletion deletes the webhooks itself. Its records name the actor
 * of the deletion.
 */
const ownDeletionMs = 2000;
const livesAtOnce = 8;
/** The most lives in a pass, beginning with lives that were never swept. Between passes new deletions are read. */
const livesPerPass = 400;

/**
 * Completes the deletions of tenants in the delivery role, also those whose API process has died after it had decided
 * the deletion. The state is in memory only.
 *
 * ```
 *   life ended ──► remaining webhooks deleted, open deliveries canceled ──► after 1, 2, 4, 8 s, then every 10 s ──► erased
 * ```
 * A life is swept until it is erased, because an attempt that was in flight may schedule the next attempt.
 */
export function createTenantDeletion(dependencies: TenantDeletionDependencies): TenantDeletion {
  const { endedLives, endWebhooks, cancelDeliveries, isOurs, logger, now } = dependencies;
  const { restMs = defaultRestMs } = dependencies;
  const deletions = new Map<string, Deletion>();

  const follow = (lives: readonly EndingLife[]) => {
    const ids = new Set(lives.map(({ lifeId }) => lifeId));
    for (const lifeId of deletions.keys()) {
      if (!ids.has(lifeId)) {
        deletions.delete(lifeId);
      }
    }
    for (const life of lives) {
      if (!deletions.has(life.lifeId)) {
        deletions.set(life.lifeId, { life, since: now(), nextAt: 0 });
      }
    }
  };

  const complete = async (deletion: Deletion, signal: AbortSignal) => {
    const { life, since } = deletion;
    if (signal.aborted) {
      return;
    }
    const { lifeId, accountId, tenantId } = life;
    if (now() - since >= ownDeletionMs && isOurs(tenantKey(accountId, tenantId))) {
      await endWebhooks({ accountId, ended: [life] }, systemActor);
    }
    const canceled = await cancelDeliveries(life, signal);
    if (canceled > 0) {
      logger.info(
        { accountId, tenantId, lifeId, canceled },
        'open deliveries of a deleted tenant were canceled',
      );
    }
    deletion.nextAt = now() + Math.min(now() - since, longestPauseMs);
  };

  const pass = async (signal: AbortSignal) => {
    follow(await endedLives.all());
    const due = [...deletions.values()].filter(({ nextAt }) => nextAt <= now());
    const first = due.sort((one, other) => one.nextAt - other.nextAt).slice(0, livesPerPass);
    await inParallel(first, livesAtOnce, (deletion) => complete(deletion, signal));
  };

  return {
    restart: () => {
      for (const deletion of deletions.values()) {
        deletion.nextAt = 0;
      }
    },
    ...createPeriodicTask({
      pass,
      logger,
      restMs,
      warning: 'cannot complete the deletions of tenants; the process tries again',
    }),
  };
}
