import type { Attempt, Event } from '../api/types.js';

/** An event in the form that webhooks receive. */
export interface SentEvent {
  readonly event: Event;
  /** The original text of the event's `data`, because parsed numbers may have lost digits. */
  readonly dataText: string;
}

/**
 * The request of an attempt, as the API documentation describes it. The service stores neither the request nor its
 * signature. The other parts of the request follow from the event and the start time of the attempt.
 * @param url the current URL of the webhook, or null if the webhook was deleted
 */
export function sentRequest(
  { event: { id, type, created }, dataText }: SentEvent,
  { attemptedAt }: Pick<Attempt, 'attemptedAt'>,
  url: string | null,
): string {
  return [
    `POST ${url ?? 'to the webhook’s URL at the time of the attempt'}`,
    'content-type: application/json',
    `webhook-id: ${id}`,
    `webhook-timestamp: ${Math.floor(Date.parse(attemptedAt) / 1000)}`,
    'webhook-signature: v1,…',
    '',
    `{"id":"${id}","type":"${type}","timestamp":"${created}","data":${dataText}}`,
  ].join('\n');
}
