/** When the deferred pairs of one webhook may have their turn, as milliseconds of a monotonic clock. */
export interface SlotClock {
  /** The last slot that was given. */
  readonly slot: number;
  /** The last one that was given at the bound. */
  readonly boundSlot: number;
}

export interface SlotRequest {
  /** Between two attempts of the webhook: the mean time of an exchange by the number at once. */
  readonly intervalMs: number;
  /** Whether the pair comes back from an earlier slot, and has found the webhook busy again. */
  readonly isReturn: boolean;
}

/** No pair is deferred for less: a shorter wait is for the queue. */
export const shortestDeferralMs = 5_000;
/** A webhook may recover at any time: what waits for it is not put off for longer, unless too much waits. */
export const longestDeferralMs = 30 * 60_000;
/** Between two pairs that come back for nothing: 50 a second, however many wait for a webhook that hangs. */
const returnIntervalMs = 20;
/** Between any two slots of a webhook, however fast it answers. */
const shortestIntervalMs = 1;

/**
 * The next slot of a webhook: one interval behind the last one, so that what is deferred comes back as fast as the webhook
 * takes it.
 *
 * ```
 *   now ───── 5 s ──────── slots, one an interval ──────── 30 min ── or later: 20 ms more for each return ──►
 *              └ due at the earliest                           └ due at the latest
 * ```
 * A webhook that hangs would have slots for weeks ahead, and be found recovered as late. So slots end at a bound, and
 * what returns from there returns for nothing. Each return moves the bound by 20 ms, and time takes that back: where more
 * than 50 a second return for long, the bound moves away until fewer do. Their number need not be known, which no process
 * could count: others, and earlier ones, have deferred pairs too.
 */
export function takeSlot(
  clock: SlotClock | null,
  now: number,
  { intervalMs, isReturn }: SlotRequest,
): { readonly due: number; readonly clock: SlotClock } {
  const last = clock ?? { slot: now, boundSlot: now };
  const slot = Math.max(last.slot, now) + Math.max(intervalMs, shortestIntervalMs);
  const movedBound = last.boundSlot + (isReturn ? returnIntervalMs : 0);
  const bound = Math.max(movedBound, now + longestDeferralMs);
  return slot < bound
    ? { due: Math.max(slot, now + shortestDeferralMs), clock: { ...last, slot } }
    : { due: bound, clock: { slot: bound, boundSlot: bound } };
}
