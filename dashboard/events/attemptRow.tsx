import { ChevronRight, CircleCheck, CircleX } from 'lucide';
import { useState } from 'preact/hooks';

import type { Attempt } from '../api/types.js';
import { AttemptBadge } from '../components/attemptBadge.js';
import { attemptName } from '../components/attemptLink.js';
import { Icon } from '../components/icon.js';
import { Time } from '../components/time.js';
import { durationText } from '../components/timeText.js';
import { useAddress } from '../navigation/useMode.js';
import { AttemptExchange } from './attemptExchange.js';
import type { SentEvent } from './sentRequest.js';

interface AttemptRowProps {
  readonly attempt: Attempt;
  readonly sent: SentEvent;
  /** The URL of the webhook, or null if the webhook was deleted. */
  readonly url: string | null;
}

/** A row with one request to a webhook. The expanded row shows the request and the response. */
export function AttemptRow({ attempt, sent, url }: AttemptRowProps) {
  // The details of an attempt are rendered on demand, because a hundred attempts may each contain the whole event.
  const [isOpen, setOpen] = useState(false);
  const { status, durationMs, attemptedAt } = attempt;
  const isGood = status === 'succeeded';
  const attemptPage = useAddress()(`/events/${attempt.eventId}/attempts/${attempt.id}`);
  return (
    <li>
      <details
        class="attempt"
        onToggle={({ currentTarget }) => {
          setOpen(currentTarget.open);
        }}
      >
        <summary>
          <Icon of={ChevronRight} size={14} />
          <span class={isGood ? 'attempt-good' : 'attempt-bad'}>
            <Icon of={isGood ? CircleCheck : CircleX} size={15} />
            <span class="hidden">{isGood ? 'Succeeded:' : 'Failed:'}</span>
          </span>
          <span class="attempt-what">{attemptName(attempt)}</span>
          <AttemptBadge attempt={attempt} />
          <span class="attempt-duration">{durationText(durationMs)}</span>
          <span class="attempt-time">
            <Time at={attemptedAt} />
          </span>
        </summary>
        {isOpen && (
          <>
            <AttemptExchange attempt={attempt} sent={sent} url={url} />
            <p class="attempt-page small">
              <a href={attemptPage}>Open this attempt as a page</a>
            </p>
          </>
        )}
      </details>
    </li>
  );
}
