import { answerOf } from '../../dashboard/api/answer.js';
import type { Api } from '../../dashboard/api/client.js';
import { memberText } from '../../dashboard/api/jsonText.js';
import type { Attempt, Event } from '../../dashboard/api/types.js';
import type { SentEvent } from '../../dashboard/events/sentRequest.js';

/** An event with its newest attempts. */
export interface AttemptedEvent {
  readonly sent: SentEvent;
  readonly attempts: readonly Attempt[];
}

const maximumAttempts = 100;

export async function readAttemptedEvent(api: Api, id: string, signal: AbortSignal): Promise<AttemptedEvent> {
  const path = { id };
  const query = { limit: maximumAttempts };
  const [text, { data }] = await Promise.all([
    // As text, because the numbers of `data` would lose digits.
    answerOf(api.GET('/v1/events/{id}', { params: { path }, parseAs: 'text', signal })),
    answerOf(api.GET('/v1/events/{id}/attempts', { params: { path, query }, signal })),
  ]);
  const event = JSON.parse(text) as Event;
  return { sent: { event, dataText: memberText(text, 'data') ?? '{}' }, attempts: data };
}
