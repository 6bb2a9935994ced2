import { createPeriodicTask, type PeriodicTask } from '../../shared/concurrency/periodicTask.js';
import type { Logger } from '../../shared/core/logger.js';
import { seededIdentity } from '../../shared/domain/core/requestIdentity.js';
import { tenantKey } from '../../shared/domain/tenants/tenant.js';
import type { OutgoingRecord } from '../../shared/log/encoding/record.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { tenantRecords } from '../../shared/log/records/tenants.js';
import type { AccountReservations } from '../../shared/store/coordination/accountReservations.js';
import type { Leases } from '../../shared/store/coordination/leases.js';
import type { TenantDocuments } from '../../shared/store/queries/tenantDocuments.js';
import type { EndedLives, EndingLife } from '../../shared/tenants/endedLives.js';
import type { IsSettled, SettledLives } from './settledLives.js';

export interface TenantErasureDependencies {
  readonly endedLives: Pick<EndedLives, 'all'>;
  readonly documents: TenantDocuments;
  readonly reservations: Pick<AccountReservations, 'removeLife'>;
  readonly settled: SettledLives;
  readonly leases: Pick<Leases, 'holdIfFree'>;
  readonly log: Pick<LogAppender, 'append'>;
  readonly logger: Logger;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** The pause between two passes, in milliseconds; one second by default. */
  readonly restMs?: number;
  /** The time between an erasure and the last removal, in milliseconds; a minute by default. */
  readonly lastRemovalAfterMs?: number;
}

interface Erasure {
  readonly life: EndingLife;
  readonly since: number;
  /** When the next removal is due, by `now`. */
  nextAt: number;
  /** The time limit of a removal, in milliseconds. It doubles if a removal does not end in time. */
  limitMs: number;
  /** Whether the life is erased, so that only the last removal follows. */
  isErased: boolean;
}

const leaseName = 'tenant-erasure';
const defaultRestMs = 1000;
const defaultLastRemovalAfterMs = 60_000;
/** The first time limit of a removal, so that the removal of a million events does not delay the other lives. */
const firstLimitMs = 10_000;
/** The longest pause between two removals of a life. The pause grows with the time since the life was found. */
const longestPauseMs = 10_000;

/**
 * The removal of the documents of deleted tenants from every generation of the read models. One process removes at a
 * time. If a removal outlasts its lease, two processes may remove without harm.
 *
 * ```
 *   life ended ──► removed after 0, 1, 2, 4, 8 s, then every 10 s ──► settled, and nothing found ──► `.erased` ──► removed once more
 * ```
 * After `.erased`, the folds ignore the records of the life, so that a rebuild restores nothing. A process that was paused
 * before `.erased` may still write a document of the life. The last removal, a minute later, finds this document. Every
 * projections process repeats the removal, so the end of one process does not prevent it.
 */
export function createTenantErasure(dependencies: TenantErasureDependencies): PeriodicTask {
  const { endedLives, documents, reservations, settled, leases, log, logger, now } = dependencies;
  const { restMs = defaultRestMs, lastRemovalAfterMs = defaultLastRemovalAfterMs } = dependencies;
  const erasures = new Map<string, Erasure>();

  const follow = (lives: readonly EndingLife[]) => {
    for (const life of lives) {
      if (!erasures.has(life.lifeId)) {
        erasures.set(life.lifeId, { life, since: now(), nextAt: 0, limitMs: firstLimitMs, isErased: false });
      }
    }
    const ids = new Set(lives.map(({ lifeId }) => lifeId));
    for (const erasure of erasures.values()) {
      if (!erasure.isErased && !ids.has(erasure.life.lifeId)) {
        erasure.isErased = true;
        erasure.nextAt = now() + lastRemovalAfterMs;
        settled.forget(erasure.life.lifeId);
      }
    }
  };

  /** Removes documents of a life until the time limit. Returns whether nothing was found, in a search of all documents. */
  const removeDocuments = async (erasure: Erasure, stopping: AbortSignal): Promise<boolean> => {
    const { accountId, tenantId, lifeId } = erasure.life;
    const limit = AbortSignal.timeout(erasure.limitMs);
    await reservations.removeLife(accountId, lifeId);
    const { removed, remaining } = await documents.remove(erasure.life, AbortSignal.any([stopping, limit]));
    if (removed > 0) {
      logger.info({ accountId, tenantId, lifeId, removed }, 'documents of a deleted tenant were removed');
    }
    erasure.limitMs *= limit.aborted ? 2 : 1;
    return removed === 0 && remaining === 0 && !limit.aborted && !stopping.aborted;
  };

  const erase = async (erasure: Erasure, isSettled: IsSettled, signal: AbortSignal) => {
    const { life, since } = erasure;
    if (erasure.isErased) {
      await removeDocuments(erasure, signal);
      erasures.delete(life.lifeId);
      return;
    }
    // The positions are checked before the removal. So a removal that finds nothing has seen all documents.
    const isLast = await isSettled(life);
    const isEmpty = await removeDocuments(erasure, signal);
    erasure.nextAt = now() + Math.min(now() - since, longestPauseMs);
    if (isLast && isEmpty) {
      await log.append(erasedRecord(life));
    }
  };

  const eraseDue = async (due: readonly Erasure[], signal: AbortSignal) => {
    const isSettled = settled.startPass();
    for (const erasure of due) {
      if (!signal.aborted) {
        await erase(erasure, isSettled, signal);
      }
    }
  };

  const pass = async (signal: AbortSignal) => {
    follow(await endedLives.all());
    const due = [...erasures.values()].filter(({ nextAt }) => nextAt <= now());
    if (due.length > 0) {
      await leases.holdIfFree(leaseName, () => eraseDue(due, signal));
    }
  };

  return createPeriodicTask({
    pass,
    logger,
    restMs,
    warning: 'the data of deleted tenants could not be removed; the process tries again',
  });
}

/** The record of an erasure. Its `ce_id` follows from the life, so the records of two processes are duplicates. */
function erasedRecord({ accountId, mode, tenantId, lifeId, deletedAt }: EndingLife): OutgoingRecord {
  const at = deletedAt;
  const type = 'postrider.tenant.erased';
  const identity = seededIdentity({ created: at, isRepeat: false, seed: Buffer.from(lifeId) });
  return tenantRecords.encode(
    { type, value: { lifeId } },
    { id: identity.recordId(type), key: tenantKey(accountId, tenantId), accountId, mode, at, tenantId },
  );
}
