import { FlaskConical, Unplug } from 'lucide';

import type { Attempt, Event, List } from '../api/types.js';
import { LinkButton } from '../components/button.js';
import { EmptyState } from '../components/emptyState.js';
import { useAddress } from '../navigation/useMode.js';
import { DeliveryCard } from './deliveryCard.js';
import type { SentEvent } from './sentRequest.js';

interface DeliveriesProps {
  readonly sent: SentEvent;
  readonly attempts: List<Attempt>;
  readonly onSent: () => void;
}

const urgency = ['failed', 'retrying', 'pending', 'canceled', 'delivered'];

/** The deliveries of an event by webhook. Failed deliveries come first. */
export function Deliveries({ sent, attempts, onSent }: DeliveriesProps) {
  const { event } = sent;
  const sorted = event.deliveries.toSorted(
    (one, other) => urgency.indexOf(one.status) - urgency.indexOf(other.status),
  );
  return (
    <section aria-labelledby="deliveries-heading" class="deliveries">
      <h2 id="deliveries-heading">Deliveries</h2>
      {sorted.length === 0 && <NoDelivery event={event} />}
      {sorted.map((delivery) => (
        <DeliveryCard
          key={delivery.webhookId}
          sent={sent}
          delivery={delivery}
          attempts={attempts.data.filter(({ webhookId }) => webhookId === delivery.webhookId)}
          onSent={onSent}
        />
      ))}
      {sorted.length > 0 && event.mode === 'live' && !event.deliveriesComplete && (
        <p class="quiet">
          More deliveries may follow: the service still matches this event with your webhooks.
        </p>
      )}
      {attempts.hasMore && (
        <p class="quiet">
          Only the newest {attempts.data.length} attempts are shown. The API returns all attempts:{' '}
          <code class="breakable">GET /v1/events/{event.id}/attempts</code>
        </p>
      )}
    </section>
  );
}

function NoDelivery({ event }: { readonly event: Event }) {
  const address = useAddress();
  if (event.mode === 'test') {
    return (
      <EmptyState icon={FlaskConical} title="Test events are not delivered">
        <p>
          The service stores and lists test events, so that you can check your program. To deliver events,
          post them with a live key.
        </p>
      </EmptyState>
    );
  }
  if (!event.deliveriesComplete) {
    return (
      <EmptyState icon={Unplug} title="Deliveries are not known yet">
        <p>
          The service has not matched this event with your webhooks yet. If this takes longer than a few
          seconds, delivery is behind or stopped.
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Unplug}
      title="No webhook received this event"
      actions={<LinkButton href={address('/webhooks')}>Show webhooks</LinkButton>}
    >
      <p>
        No active webhook matched the event when it was posted, by its type{' '}
        <code class="breakable">{event.type}</code>, its tenant or a filter. To deliver the event to a webhook
        that was added, changed or enabled later, use “Recover events” on the page of the webhook.
      </p>
    </EmptyState>
  );
}
