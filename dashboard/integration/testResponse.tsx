import { useCallback, useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import { memberText } from '../api/jsonText.js';
import type { Attempt, Event, Webhook } from '../api/types.js';
import { useRefreshed } from '../api/useRefreshed.js';
import { AttemptBadge } from '../components/attemptBadge.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Notice } from '../components/notice.js';
import { durationText } from '../components/timeText.js';
import { AttemptExchange } from '../events/attemptExchange.js';
import type { SentEvent } from '../events/sentRequest.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi } from '../session/session.js';

const refreshMs = 1000;
/** The time after which the page says that delivery is late. A receiver has 15 seconds for its response. */
const lateMs = 20_000;

interface TestResponseProps {
  readonly eventId: string;
  readonly webhook: Webhook;
}

interface ShownAttempt {
  readonly sent: SentEvent;
  /** The only attempt, or null until it has ended. */
  readonly attempt: Attempt | null;
}

/** The attempt of a test event, as soon as it has ended. */
export function TestResponse({ eventId, webhook }: TestResponseProps) {
  const api = useApi();
  const address = useAddress();
  const [startedAt] = useState(() => Date.now());
  const load = useCallback(
    async (signal: AbortSignal): Promise<ShownAttempt> => {
      const path = { id: eventId };
      const [text, attempts] = await Promise.all([
        answerOf(api.GET('/v1/events/{id}', { params: { path }, parseAs: 'text', signal })),
        answerOf(api.GET('/v1/events/{id}/attempts', { params: { path, query: { limit: 1 } }, signal })),
      ]);
      const sent = { event: JSON.parse(text) as Event, dataText: memberText(text, 'data') ?? '{}' };
      return { sent, attempt: attempts.data[0] ?? null };
    },
    [api, eventId],
  );
  const shown = useRefreshed(load, (value) => ((value?.attempt ?? null) === null ? refreshMs : null));
  const attempt = shown.value?.attempt ?? null;
  return (
    <>
      <FailureNotice failure={shown.failure} onRetry={shown.reload} />
      <p role="status" class="test-outcome">
        {attempt === null ? 'Waiting for the response …' : <TestOutcome attempt={attempt} />}
      </p>
      {attempt === null && Date.now() - startedAt > lateMs && (
        <Notice kind="warn">
          The attempt is late. Delivery is behind or stopped. The event shows the response later.
        </Notice>
      )}
      {shown.value !== null && attempt !== null && (
        <AttemptExchange attempt={attempt} sent={shown.value.sent} url={webhook.url} />
      )}
      <p>
        <a href={address(`/events/${eventId}`)}>Open event</a>
      </p>
    </>
  );
}

function TestOutcome({ attempt }: { readonly attempt: Attempt }) {
  return (
    <>
      <AttemptBadge attempt={attempt} />{' '}
      {attempt.status === 'succeeded'
        ? `The receiver accepted the event after ${durationText(attempt.durationMs)}.`
        : `The delivery failed after ${durationText(attempt.durationMs)}.`}
    </>
  );
}
