import { CircleCheck, CircleDashed, CircleMinus, CircleX, RotateCw, Send } from 'lucide';

import type { Delivery, DeliveryStatus } from '../api/types.js';
import { Badge } from './badge.js';

const looks = {
  delivered: { tone: 'good', icon: CircleCheck, text: 'Delivered' },
  retrying: { tone: 'warn', icon: RotateCw, text: 'Retrying' },
  failed: { tone: 'bad', icon: CircleX, text: 'Failed' },
  pending: { tone: 'info', icon: CircleDashed, text: 'Pending' },
  canceled: { tone: 'plain', icon: CircleMinus, text: 'Canceled' },
} as const;

export function DeliveryBadge({ status }: { readonly status: DeliveryStatus }) {
  const { tone, icon, text } = looks[status];
  return (
    <Badge tone={tone} icon={icon}>
      {text}
    </Badge>
  );
}

/** The delivery statuses in the order of urgency. Statuses that need attention come first. */
const byUrgency: readonly DeliveryStatus[] = ['failed', 'retrying', 'pending', 'canceled', 'delivered'];

interface DeliverySummaryProps {
  readonly deliveries: readonly Delivery[];
  /** Whether the service knows all deliveries of the event. */
  readonly areComplete: boolean;
}

/** The statuses of an event's deliveries, the worst status first. */
export function DeliverySummary({ deliveries, areComplete }: DeliverySummaryProps) {
  if (deliveries.length === 0 && !areComplete) {
    return <span class="quiet">Not known yet</span>;
  }
  if (deliveries.length === 0) {
    return (
      <Badge tone="plain" icon={Send}>
        No delivery
      </Badge>
    );
  }
  const counts = byUrgency
    .map((status) => [status, deliveries.filter((delivery) => delivery.status === status).length] as const)
    .filter(([, count]) => count > 0);
  return (
    <span class="badges">
      {counts.map(([status, count]) => {
        const { tone, icon, text } = looks[status];
        return (
          <Badge key={status} tone={tone} icon={icon}>
            {count === 1 && deliveries.length === 1 ? text : `${count} ${text.toLowerCase()}`}
          </Badge>
        );
      })}
    </span>
  );
}
