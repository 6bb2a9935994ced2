import { DeliveryBadge } from '../components/deliveryBadge.js';
import { countText } from '../components/timeText.js';
import { useAddress } from '../navigation/useMode.js';

const statuses = ['failed', 'retrying', 'canceled', 'pending'] as const;

interface DeliveryCountsProps {
  /** The health of a webhook or of the webhooks of a tenant. */
  readonly health: Readonly<Record<(typeof statuses)[number], number>>;
  /** The filter of the list of events for the deliveries, such as `webhook=wh_…`, or an empty text. */
  readonly filter: string;
}

/**
 * The exact numbers of undelivered deliveries by status. Each number is a link to its events. The events may be of any
 * age, so the links contain no time range.
 */
export function DeliveryCounts({ health, filter }: DeliveryCountsProps) {
  const address = useAddress();
  const shown = statuses.filter((status) => health[status] > 0);
  return shown.length === 0 ? (
    <span class="quiet">–</span>
  ) : (
    <span class="badges">
      {shown.map((status) => (
        <a
          key={status}
          class="count-badge"
          href={address(`/events?${filter === '' ? '' : `${filter}&`}status=${status}`)}
        >
          {countText(health[status])} <DeliveryBadge status={status} />
        </a>
      ))}
    </span>
  );
}
