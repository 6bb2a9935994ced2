import { ChevronRight, Send } from 'lucide';
import { useState } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import type { Attempt, Delivery } from '../../dashboard/api/types.js';
import { useAction } from '../../dashboard/api/useAction.js';
import { useAnnounce } from '../../dashboard/components/announcements.js';
import { AttemptBadge } from '../../dashboard/components/attemptBadge.js';
import { Button } from '../../dashboard/components/button.js';
import { DeliveryBadge } from '../../dashboard/components/deliveryBadge.js';
import { FailureNotice } from '../../dashboard/components/failureNotice.js';
import { Icon } from '../../dashboard/components/icon.js';
import { Time } from '../../dashboard/components/time.js';
import { counted } from '../../dashboard/components/timeText.js';
import { failureAdvice } from '../../dashboard/events/failureAdvice.js';
import type { SentEvent } from '../../dashboard/events/sentRequest.js';
import { linkTo } from '../navigation/view.js';
import { useApi, useMay } from '../session/portalContext.js';
import { Exchange } from './exchange.js';

interface DeliveryCardProps {
  readonly sent: SentEvent;
  readonly delivery: Delivery;
  /** The name of the endpoint, or null if it is unknown, for example after its deletion. */
  readonly endpointName: string | null;
  readonly attempts: readonly Attempt[];
  readonly onSent: () => void;
}

/** The delivery of an event to one endpoint, with each attempt. */
export function DeliveryCard({ sent, delivery, endpointName, attempts, onSent }: DeliveryCardProps) {
  const api = useApi();
  const announce = useAnnounce();
  const mayResend = useMay('events:write');
  const { webhookId, status } = delivery;
  const resend = useAction(async () => {
    const params = { path: { id: sent.event.id } };
    await answerOf(api.POST('/v1/events/{id}/resend', { params, body: { webhookId } }));
    announce('The event is being resent.');
    onSent();
  });
  return (
    <article class={`card delivery delivery-${status}`}>
      <header class="delivery-head">
        <DeliveryBadge status={status} />
        {endpointName === null ? (
          <span class="webhook-link">{attempts[0]?.url ?? webhookId}</span>
        ) : (
          <a class="webhook-link" href={linkTo('endpoints', webhookId)}>
            {endpointName}
          </a>
        )}
        {mayResend && status !== 'pending' && (
          <Button icon={Send} isSmall isBusy={resend.isRunning} onClick={resend.run}>
            Resend event
          </Button>
        )}
      </header>
      <DeliveryWords delivery={delivery} />
      <FailureNotice failure={resend.failure} />
      {attempts.length > 0 && (
        <ul class="attempts" aria-label="Attempts, newest first">
          {attempts.map((attempt) => (
            <AttemptRow key={attempt.id} attempt={attempt} sent={sent} />
          ))}
        </ul>
      )}
    </article>
  );
}

function DeliveryWords({ delivery }: Pick<DeliveryCardProps, 'delivery'>) {
  const { status, error, statusCode, attemptCount, deliveredAt, nextAttemptAt } = delivery;
  const advice = error === null ? null : failureAdvice(error.code, statusCode, 'endpoint');
  return (
    <div class="delivery-words">
      <p class="facts">
        {deliveredAt !== null && (
          <span>
            Delivered <Time at={deliveredAt} />
          </span>
        )}
        <span>{counted(attemptCount, 'attempt')}</span>
        {nextAttemptAt !== null && (
          <span>
            Next attempt <Time at={nextAttemptAt} form="due" />
          </span>
        )}
        {status === 'failed' && <span>No further attempt is scheduled</span>}
      </p>
      {error !== null && (
        <p class="reason">
          <strong class="breakable">{error.message}.</strong> {advice}
        </p>
      )}
    </div>
  );
}

function AttemptRow({ attempt, sent }: { readonly attempt: Attempt; readonly sent: SentEvent }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details class="attempt" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <Icon of={ChevronRight} size={14} />
          <span class="attempt-what">Attempt {attempt.number}</span>
          <AttemptBadge attempt={attempt} />
          <span class="attempt-time">
            <Time at={attempt.attemptedAt} />
          </span>
        </summary>
        {isOpen && <Exchange attempt={attempt} sent={sent} />}
      </details>
    </li>
  );
}
