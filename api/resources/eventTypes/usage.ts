import type { Clock } from '../../../shared/core/clock.js';
import type { Mode } from '../../../shared/domain/core/fact.js';
import { eventIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';

/** A number of events that may be capped. */
export interface EventCount {
  readonly events: number;
  /** Whether there may be more events than `events`. */
  readonly isAtLeast: boolean;
}

export interface EventTypeUsage {
  /** The days in UTC, the oldest first. Today is the last day. */
  readonly days: readonly (EventCount & { readonly start: Date })[];
  readonly lastEventAt: Date | null;
}

interface UsedType {
  readonly accountId: string;
  readonly mode: Mode;
  readonly name: string;
}

/** The usage of event types, counted from the index by type. So usage costs no write for each event. */
export interface EventTypeUsages {
  /**
   * The events of each of the last days.
   * @throws UnavailableError if a count exceeds its time limit, or if the read model is incomplete
   */
  readonly ofDays: (type: UsedType, days: number) => Promise<EventTypeUsage>;
  /** The events of the last seven days in all. */
  readonly ofWeek: (type: UsedType) => Promise<EventCount>;
}

export interface UsageDependencies {
  readonly events: Pick<ReadModels['events'], 'countPage'>;
  readonly clock: Clock;
}

const dayMs = 24 * 60 * 60 * 1000;
const daysOfWeek = 7;
/** The number of events at which a count ends. A count of so many index keys takes a few milliseconds. */
const maximumCount = 10_000;

export function createEventTypeUsages({ events, clock }: UsageDependencies): EventTypeUsages {
  const read = async ({ accountId, mode, name: type }: UsedType, created: object, limit: number) =>
    events.countPage({
      range: { filter: { accountId, mode, type, ...created }, sort: { created: -1, _id: -1 } },
      limit,
      index: eventIndexes.byType.key,
      condition: { $literal: true },
      share: accountId,
    });

  const count = async (type: UsedType, from: Date, to: Date): Promise<EventCount> => {
    const { read: found } = await read(type, { created: { $gte: from, $lt: to } }, maximumCount + 1);
    return { events: Math.min(found, maximumCount), isAtLeast: found > maximumCount };
  };

  return {
    ofDays: async (type, days) => {
      const today = startOfDay(clock());
      const starts = Array.from({ length: days }, (_, index) => daysAfter(today, index - days + 1));
      const counted = starts.map(async (start) => ({
        start,
        ...(await count(type, start, daysAfter(start, 1))),
      }));
      const [list, { first }] = await Promise.all([Promise.all(counted), read(type, {}, 1)]);
      return { days: list, lastEventAt: first?.created ?? null };
    },
    ofWeek: async (type) => {
      const today = startOfDay(clock());
      return count(type, daysAfter(today, 1 - daysOfWeek), daysAfter(today, 1));
    },
  };
}

function startOfDay(at: Date): Date {
  return new Date(Math.floor(at.getTime() / dayMs) * dayMs);
}

function daysAfter(day: Date, days: number): Date {
  return new Date(day.getTime() + days * dayMs);
}
