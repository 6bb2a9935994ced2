import { type AttemptOrigin, type LatencyClass, attemptOrigins } from '../latency/attemptClasses.js';

/** What one class of webhooks may have in flight. */
export interface ClassSlots {
  /** Exchanges that have just begun; of the class `slow` all exchanges. */
  readonly slots: number;
  /** Exchanges that have become slow. Each gives its slot back to the class. */
  readonly lingering: number;
}

export type SlotSettings = Readonly<Record<LatencyClass, ClassSlots>>;

/**
 * Divides the slots of a process. Half of them belong to webhooks that are known to be fast, a quarter to those that are not known.
 * Exchanges that linger have places of their own, so that they leave slots free. With `slots` of them, at most twice as many
 * exchanges are in flight.
 */
export function slotSettings(slots: number): SlotSettings {
  const quarter = Math.max(1, Math.floor(slots / 4));
  return {
    fast: { slots: 2 * quarter, lingering: quarter },
    unknown: { slots: quarter, lingering: quarter },
    slow: { slots: 3 * quarter, lingering: 0 },
  };
}

/** The most exchanges that are in flight at once. */
export function mostInFlight(settings: SlotSettings): number {
  return Object.values(settings).reduce((sum, { slots, lingering }) => sum + slots + lingering, 0);
}

/** The slots of one class. */
export interface SlotPool {
  readonly inFlight: number;
  /** The number of slots that an origin could take now. */
  readonly freeFor: (origin: AttemptOrigin) => number;
  readonly take: (origin: AttemptOrigin) => void;
  readonly release: (origin: AttemptOrigin) => void;
  /**
   * Frees the slot of an exchange that has become slow.
   * @returns whether there was a place for it
   */
  readonly linger: (origin: AttemptOrigin) => boolean;
  readonly endLingering: () => void;
  /** Whether more than half of the places for slow exchanges are taken. */
  readonly isCrowdedByLingering: () => boolean;
}

/** Of the slots of a class, an eighth is reserved for each origin. The origins share the others. */
const reservedShare = 1 / 8;

export function createSlotPool({ slots, lingering: places }: ClassSlots): SlotPool {
  const reserved = Math.floor(slots * reservedShare);
  const taken: Record<AttemptOrigin, number> = { first: 0, retry: 0, replay: 0 };
  let lingering = 0;

  const total = () => taken.first + taken.retry + taken.replay;
  const reservedForOthers = (origin: AttemptOrigin) =>
    attemptOrigins.reduce(
      (sum, other) => sum + (other === origin ? 0 : Math.max(0, reserved - taken[other])),
      0,
    );

  return {
    get inFlight() {
      return total();
    },
    freeFor: (origin) => slots - total() - reservedForOthers(origin),
    take: (origin) => {
      taken[origin] += 1;
    },
    release: (origin) => {
      taken[origin] -= 1;
    },
    linger: (origin) => {
      if (lingering >= places) {
        return false;
      }
      lingering += 1;
      taken[origin] -= 1;
      return true;
    },
    endLingering: () => {
      lingering -= 1;
    },
    isCrowdedByLingering: () => places > 0 && lingering > places / 2,
  };
}
