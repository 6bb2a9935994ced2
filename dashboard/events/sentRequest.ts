import type { Attempt, Event, Webhook } from '../api/types.js';

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
    sentBody(sent, formatOfAttempt(sent, attempt)) ?? cloudEventNote,
  ].join('\n');
}

type Format = Webhook['format'];

const cloudEventNote = '(The event as a CloudEvent, whose attributes the service does not show here)';

/**
 * The body of each request of the event in a format. Null for a CloudEvent, because its attributes are not part of the
 * event in the API.
 */
export function sentBody({ event, dataText }: SentEvent, format: Format): string | null {
  const { id, type, created, tenantId } = event;
  const tenant = tenantId === null ? '' : `,"tenantId":"${tenantId}"`;
  const head = `{"id":"${id}","type":"${type}","timestamp":"${created}"${tenant}`;
  switch (format) {
    case 'cloudevents':
      return null;
    case 'thin':
      return `${head}}`;
    default:
      return `${head},"data":${dataText}}`;
  }
}

/** The format of an attempt, which its webhook may have changed since. The length tells a thin event from a whole one. */
export function formatOfAttempt(
  sent: SentEvent,
  { requestHeaders }: Pick<Attempt, 'requestHeaders'>,
): Format {
  const { 'content-type': type = '', 'content-length': length } = requestHeaders ?? {};
  if (type.startsWith('application/cloudevents')) {
    return 'cloudevents';
  }
  const thin = new TextEncoder().encode(sentBody(sent, 'thin') ?? '').length;
  return length === String(thin) ? 'thin' : null;
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
