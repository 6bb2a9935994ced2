import { Send } from 'lucide';

import { answerOf } from '../api/answer.js';
import type { Attempt, Delivery } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { useAnnounce } from '../components/announcements.js';
import { Button } from '../components/button.js';
import { DeliveryBadge } from '../components/deliveryBadge.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Time } from '../components/time.js';
import { counted } from '../components/timeText.js';
import { useApi, useMay } from '../session/session.js';
import { useWebhook } from '../webhooks/webhookNames.js';
import { WebhookLink } from '../webhooks/webhookLink.js';
import { AttemptRow } from './attemptRow.js';
import { failureAdvice } from './failureAdvice.js';
import type { SentEvent } from './sentRequest.js';

interface DeliveryCardProps {
  readonly sent: SentEvent;
  readonly delivery: Delivery;
  readonly attempts: readonly Attempt[];
  readonly onSent: () => void;
}

/** The delivery of an event to one webhook: its state, its error, its actions and all attempts. */
export function DeliveryCard({ sent, delivery, attempts, onSent }: DeliveryCardProps) {
  const api = useApi();
  const announce = useAnnounce();
  const may = useMay('developer');
  const webhook = useWebhook(delivery.webhookId);
  const send = useAction(async () => {
    await answerOf(
      api.POST('/v1/events/{id}/resend', {
        params: { path: { id: sent.event.id } },
        body: { webhookId: delivery.webhookId },
      }),
    );
    announce('The event is being resent.');
    onSent();
  });
  return (
    <article class={`card delivery delivery-${delivery.status}`}>
      <header class="delivery-head">
        <DeliveryBadge status={delivery.status} />
        <WebhookLink id={delivery.webhookId} />
        {may && webhook?.status === 'active' && delivery.status !== 'pending' && (
          <Button
            icon={Send}
            isSmall
            kind={delivery.status === 'delivered' ? 'secondary' : 'primary'}
            isBusy={send.isRunning}
            onClick={send.run}
          >
            Resend event
          </Button>
        )}
      </header>
      <DeliveryWords delivery={delivery} />
      <FailureNotice failure={send.failure} />
      {attempts.length > 0 && (
        <ul class="attempts" aria-label="Attempts, newest first">
          {attempts.map((attempt) => (
            <AttemptRow key={attempt.id} attempt={attempt} sent={sent} url={webhook?.url ?? null} />
          ))}
        </ul>
      )}
    </article>
  );
}

function DeliveryWords({ delivery }: { readonly delivery: Delivery }) {
  const { status, error, statusCode, attemptCount, deliveredAt, nextAttemptAt } = delivery;
  const help = error === null ? null : failureAdvice(error.code, statusCode, 'webhook');
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
          <strong class="breakable">{error.message}.</strong>
          {help !== null && <span> {help}</span>}
        </p>
      )}
    </div>
  );
}
