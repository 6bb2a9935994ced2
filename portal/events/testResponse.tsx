import { useCallback } from 'preact/hooks';

import { useRefreshed } from '../../dashboard/api/useRefreshed.js';
import { AttemptBadge } from '../../dashboard/components/attemptBadge.js';
import { FailureNotice } from '../../dashboard/components/failureNotice.js';
import { durationText } from '../../dashboard/components/timeText.js';
import { linkTo } from '../navigation/view.js';
import { useApi } from '../session/portalContext.js';
import { Exchange } from './exchange.js';
import { readAttemptedEvent } from './readSentEvent.js';

const refreshMs = 1000;

/** The attempt of a test event, as soon as it has ended. */
export function TestResponse({ eventId }: { readonly eventId: string }) {
  const api = useApi();
  const load = useCallback((signal: AbortSignal) => readAttemptedEvent(api, eventId, signal), [api, eventId]);
  const shown = useRefreshed(load, (value) => (value?.attempts[0] === undefined ? refreshMs : null));
  const attempt = shown.value?.attempts[0];
  return (
    <>
      <FailureNotice failure={shown.failure} onRetry={shown.reload} />
      <p role="status" class="test-outcome">
        {attempt === undefined ? (
          'Waiting for the response …'
        ) : (
          <>
            <AttemptBadge attempt={attempt} />{' '}
            {attempt.status === 'succeeded'
              ? `Your server accepted the event after ${durationText(attempt.durationMs)}.`
              : `The delivery failed after ${durationText(attempt.durationMs)}.`}
          </>
        )}
      </p>
      {shown.value !== null && attempt !== undefined && (
        <Exchange attempt={attempt} sent={shown.value.sent} />
      )}
      <p>
        <a href={linkTo('events', eventId)}>Open event</a>
      </p>
    </>
  );
}
