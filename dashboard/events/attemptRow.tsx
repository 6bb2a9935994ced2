import { CircleCheck, CircleX } from 'lucide';

import type { Attempt } from '../api/types.js';
import { AttemptBadge } from '../components/attemptBadge.js';
import { Icon } from '../components/icon.js';
import { Identifier } from '../components/identifier.js';
import { Time } from '../components/time.js';
import { durationText } from '../components/timeText.js';

const triggers: Readonly<Record<Attempt['trigger'], string>> = {
  first: 'First attempt',
  retry: 'Retry',
  resend: 'Sent again',
  replay: 'Replay',
  test: 'Test',
};

/** One request to a webhook; opened, the answer that it got. */
export function AttemptRow({ attempt }: { readonly attempt: Attempt }) {
  const { number, trigger, status, durationMs, attemptedAt } = attempt;
  const isGood = status === 'succeeded';
  return (
    <li>
      <details class="attempt">
        <summary>
          <span class={isGood ? 'attempt-good' : 'attempt-bad'}>
            <Icon of={isGood ? CircleCheck : CircleX} size={15} />
            <span class="hidden">{isGood ? 'Succeeded:' : 'Failed:'}</span>
          </span>
          <span class="attempt-what">
            #{number} {triggers[trigger]}
          </span>
          <AttemptBadge attempt={attempt} />
          <span class="attempt-duration">{durationText(durationMs)}</span>
          <span class="attempt-time">
            <Time at={attemptedAt} />
          </span>
        </summary>
        <AttemptAnswer attempt={attempt} />
      </details>
    </li>
  );
}

function AttemptAnswer({ attempt }: { readonly attempt: Attempt }) {
  const { id, statusCode, error, responseBody } = attempt;
  return (
    <div class="attempt-more">
      {error !== null && <p class="breakable">{error.message}</p>}
      {responseBody === '' ? (
        <p class="quiet">{statusCode === null ? 'There was no answer.' : 'The answer had no body.'}</p>
      ) : (
        <>
          <p class="quiet small">Answer, its first 4 KiB</p>
          <pre class="response" tabIndex={0} role="region" aria-label="Answer of the receiver">
            {responseBody}
          </pre>
        </>
      )}
      <p class="quiet small">
        <Identifier id={id} what="attempt id" />
      </p>
    </div>
  );
}
