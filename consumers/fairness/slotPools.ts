import type { AttemptOrigin, LatencyClass } from '../latency/attemptClasses.js';

export interface ClassSlots {
  /** The most exchanges in flight that have not become slow; in the class `slow`, the most exchanges in flight. */
  readonly slots: number;
  /** The most exchanges that have become slow and have left their slots. */
  readonly slowExchanges: number;
}

export type SlotSettings = Readonly<Record<LatencyClass, ClassSlots>>;

/**
 * The slots of each latency class, as shares of a process's slots. Half of the slots belong to webhooks that are known
 * to be fast, and a quarter to unknown webhooks. Exchanges that become slow have their own places, so that they do not
 * occupy slots. In total at most `2 * slots` exchanges are in flight.
 */
export function slotSettings(slots: number): SlotSettings {
  const quarter = Math.max(1, Math.floor(slots / 4));
  return {
    fast: { slots: 2 * quarter, slowExchanges: quarter },
    unknown: { slots: quarter, slowExchanges: quarter },
    slow: { slots: 3 * quarter, slowExchanges: 0 },
  };
}

/** The most exchanges of a process that are in flight at once. */
export function mostInFlight(settings: SlotSettings): number {
  return Object.values(settings).reduce((sum, { slots, slowExchanges }) => sum + slots + slowExchanges, 0);
}

export interface SlotPool {
  readonly inFlight: number;
  /** The number of slots that an origin could take now. */
  readonly freeFor: (origin: AttemptOrigin) => number;
  readonly take: (origin: AttemptOrigin) => void;
  readonly release: (origin: AttemptOrigin) => void;
  /**
   * Moves an exchange that has become slow from its slot to a place for slow exchanges.
   * @returns whether a place was free
   */
  readonly moveToSlow: (origin: AttemptOrigin) => boolean;
  readonly releaseSlow: () => void;
  /** Whether more than half of the places for slow exchanges are taken. */
  readonly hasManySlow: () => boolean;
}

type ReservedOrigin = Exclude<AttemptOrigin, 'release'>;

const reservedOrigins: readonly ReservedOrigin[] = ['first', 'retry', 'replay'];

/** The origin whose reserved slots an attempt may use. A released attempt was due earlier, as a retry is. */
function shareOf(origin: AttemptOrigin): ReservedOrigin {
  return origin === 'release' ? 'retry' : origin;
}

/** The share of a class's slots that is reserved for each origin. All origins share the slots that are not reserved. */
const reservedShare = 1 / 8;

export function createSlotPool({ slots, slowExchanges: places }: ClassSlots): SlotPool {
  const reserved = Math.floor(slots * reservedShare);
  const taken: Record<ReservedOrigin, number> = { first: 0, retry: 0, replay: 0 };
  let slow = 0;

  const total = () => taken.first + taken.retry + taken.replay;
  const reservedForOthers = (origin: AttemptOrigin) =>
    reservedOrigins.reduce(
      (sum, other) => sum + (other === shareOf(origin) ? 0 : Math.max(0, reserved - taken[other])),
      0,
    );

  return {
    get inFlight() {
      return total();
    },
    freeFor: (origin) => slots - total() - reservedForOthers(origin),
    take: (origin) => {
      taken[shareOf(origin)] += 1;
    },
    release: (origin) => {
      taken[shareOf(origin)] -= 1;
    },
    moveToSlow: (origin) => {
      if (slow >= places) {
        return false;
      }
      slow += 1;
      taken[shareOf(origin)] -= 1;
      return true;
    },
    releaseSlow: () => {
      slow -= 1;
    },
    hasManySlow: () => places > 0 && slow > places / 2,
  };
}
