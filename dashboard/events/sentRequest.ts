import type { Attempt, Event } from '../api/types.js';

/** An event in the form that webhooks receive. */
export interface SentEvent {
  readonly event: Event;
  /** The original text of the event's `data`, because parsed numbers may have lost digits. */
  readonly dataText: string;
}

/** The parts of an attempt that its request shows. */
type SentAttempt = Pick<Attempt, 'attemptedAt' | 'url' | 'requestHeaders'>;

/**
 * The request of an attempt. The service stores the URL and the headers of the attempt. If they were not stored, they
 * follow from the event, from the start time of the attempt and from the webhook.
 * @param url the current URL of the webhook, or null if the webhook was deleted
 */
export function sentRequest(sent: SentEvent, attempt: SentAttempt, url: string | null): string {
  const headers = attempt.requestHeaders ?? derivedHeaders(sent.event.id, attempt.attemptedAt);
  return [
    `POST ${attempt.url ?? url ?? 'to the webhook’s URL at the time of the attempt'}`,
    ...headerLines(headers),
    '',
    sentBody(sent),
  ].join('\n');
}

/** The body of each request of the event. */
export function sentBody({ event: { id, type, created, tenantId }, dataText }: SentEvent): string {
  const tenant = tenantId === null ? '' : `"tenantId":"${tenantId}",`;
  return `{"id":"${id}","type":"${type}","timestamp":"${created}",${tenant}"data":${dataText}}`;
}

/** The stored response of an attempt: its headers and the start of its body. */
export function receivedResponse({
  responseHeaders,
  responseBody,
}: Pick<Attempt, 'responseHeaders' | 'responseBody'>): string {
  const headers = headerLines(responseHeaders ?? {});
  return [...headers, ...(headers.length > 0 && responseBody !== '' ? [''] : []), responseBody]
    .join('\n')
    .trimEnd();
}

function headerLines(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function derivedHeaders(id: string, attemptedAt: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(Date.parse(attemptedAt) / 1000)),
    'webhook-signature': 'v1,…',
  };
}
