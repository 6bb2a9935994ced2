import type { Delivery } from './delivery.js';

/**
 * The most attempts whose ids are in an event's document. A client may resend an event any number of times, but the size
 * of the document must be limited.
 */
const remembered = 1000;

/**
 * A delivery after the record of an attempt, which gets the next number. A process numbers an attempt when it begins,
 * and cannot know which attempts of other cycles are recorded first. Only the order of the log gives each recorded attempt
 * a number of its own. A second record of an attempt changes nothing.
 */
export function withAttempt(delivery: Delivery, attemptId: string): Delivery {
  const { attemptCount, attemptIds = [] } = delivery;
  return attemptIds.includes(attemptId)
    ? delivery
    : {
        ...delivery,
        attemptCount: attemptCount + 1,
        attemptIds: [...attemptIds, attemptId].slice(-remembered),
      };
}

/**
 * The number of an attempt: its place among the delivery's attempts in the order of the log, from 1.
 * @returns null if the delivery does not contain the id of the attempt
 */
export function attemptNumberOf(
  { attemptCount, attemptIds = [] }: Pick<Delivery, 'attemptCount' | 'attemptIds'>,
  attemptId: string,
): number | null {
  const index = attemptIds.indexOf(attemptId);
  return index === -1 ? null : attemptCount - attemptIds.length + index + 1;
}

/** Whether a delivery contains the id of each of its attempts. Otherwise an attempt that it lacks may be an old one. */
export function containsAllAttempts({
  attemptCount,
  attemptIds = [],
}: Pick<Delivery, 'attemptCount' | 'attemptIds'>): boolean {
  return attemptIds.length === attemptCount;
}
