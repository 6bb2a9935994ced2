import { z } from 'zod';

import { validationStatuses, type EventValidation } from '../../../shared/domain/events/event.js';

/** The stored form of the result of an event's check, for the answers to repeated requests. */
export const storedValidation = z.strictObject({
  status: z.enum(validationStatuses),
  param: z.string().nullable(),
  code: z.string().nullable(),
});

/** The text that the idempotency key of an event stores; empty for an event that was not checked. */
function answerOf(validation: EventValidation | null): string {
  return validation === null ? '' : JSON.stringify(validation);
}

/** Events by the text that their idempotency keys store. Most events of a batch have the same text. */
export function groupedByAnswer<Item>(
  items: readonly Item[],
  validations: ReadonlyMap<Item, EventValidation>,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const one of items) {
    const text = answerOf(validations.get(one) ?? null);
    const group = groups.get(text) ?? [];
    groups.set(text, group);
    group.push(one);
  }
  return groups;
}

export function validationIn(answer: Buffer): EventValidation | null {
  return answer.length === 0 ? null : storedValidation.parse(JSON.parse(answer.toString()));
}
