import type { WebhookPreview } from '../api/types.js';

/** The preview of one event: the answer to a request with an event. */
export type EventPreview = Required<Pick<WebhookPreview, 'matches' | 'reason' | 'condition' | 'request'>>;

/**
 * The preview in the answer to a request with an event.
 * @throws Error if the answer has none
 */
export function eventPreviewIn(answer: WebhookPreview): EventPreview {
  const { matches, reason, condition, request } = answer;
  if (matches === undefined || reason === undefined || condition === undefined || request === undefined) {
    throw new Error('The answer has no preview of an event.');
  }
  return { matches, reason, condition, request };
}

const reasons: Readonly<Record<NonNullable<EventPreview['reason']>, string>> = {
  tenant: 'The event has another tenant than the webhook.',
  type: 'The webhook does not subscribe to the type of the event.',
  filter: 'The filter of the webhook excludes the event.',
  test_delivery: 'The event is a test event of another webhook.',
  webhook_disabled: 'The webhook is disabled.',
  test_mode: 'In test mode the service delivers no events.',
};

/** A sentence that says whether the webhook gets the event, and if not, why. */
export function outcomeText({ reason, condition }: Pick<EventPreview, 'reason' | 'condition'>): string {
  if (reason === null) {
    return 'The webhook gets this event.';
  }
  return condition === null ? reasons[reason] : `${reasons[reason]} This condition fails: ${condition}.`;
}

/** The request as text, with the headers before the body. */
export function requestText({ method, url, headers, body }: EventPreview['request']): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...lines, '', body].join('\n');
}

/** The preview of a filter: the answer to a request with a time. */
export type HistoryPreview = Required<Pick<WebhookPreview, 'checked' | 'matched' | 'samples' | 'complete'>>;

/**
 * The counts in the answer to a request with a time.
 * @throws Error if the answer has none
 */
export function historyPreviewIn({ checked, matched, samples, complete }: WebhookPreview): HistoryPreview {
  if (checked === undefined || matched === undefined || samples === undefined || complete === undefined) {
    throw new Error('The answer has no counts of a filter.');
  }
  return { checked, matched, samples, complete };
}

/** The body of a request that tries a filter. It has the text of the filter, and null for an empty text. */
export function trialBody(filter: string, since: Date): string {
  const text = filter.trim() === '' ? 'null' : filter.trim();
  return `{"since":${JSON.stringify(since.toISOString())},"filter":${text}}`;
}

/** A sentence with the counts of a filter. */
export function trialText({ checked, matched, complete }: HistoryPreview): string {
  if (checked === 0) {
    return complete ? 'There are no such events.' : 'No event could be checked in time. Try again.';
  }
  const counts = `The filter matches ${matched.toLocaleString('en')} of ${checked.toLocaleString('en')} events.`;
  return complete ? counts : `${counts} Older events could not be checked in time.`;
}
