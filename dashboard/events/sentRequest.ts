import type { Attempt, Event } from '../api/types.js';

/** An event as it goes to webhooks. */
export interface SentEvent {
  readonly event: Event;
  /** `data` as it was posted: parsed, its numbers may have lost digits. */
  readonly dataText: string;
}

/**
 * The request of an attempt, as the description of the API has it. It is not kept, nor is its signature; all else follows from
 * the event and from when the attempt began.
 * @param url of the webhook now; null where it was deleted
 */
export function sentRequest(
  { event: { id, type, created }, dataText }: SentEvent,
  { attemptedAt }: Pick<Attempt, 'attemptedAt'>,
  url: string | null,
): string {
  return [
    `POST ${url ?? 'to the URL that the webhook had'}`,
    'content-type: application/json',
    `webhook-id: ${id}`,
    `webhook-timestamp: ${Math.floor(Date.parse(attemptedAt) / 1000)}`,
    'webhook-signature: v1,…',
    '',
    `{"id":"${id}","type":"${type}","timestamp":"${created}","data":${dataText}}`,
  ].join('\n');
}
