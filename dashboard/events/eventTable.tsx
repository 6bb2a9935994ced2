import type { ListedEvent } from '../api/types.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { DeliverySummary } from '../components/deliveryBadge.js';
import { Identifier } from '../components/identifier.js';
import { TenantLink } from '../components/tenantLink.js';
import { Time } from '../components/time.js';
import { useAddress } from '../navigation/useMode.js';
import type { EventSelection } from './useSelection.js';
import { ValidationResult } from './validationResult.js';

interface EventTableProps {
  readonly events: readonly ListedEvent[];
  readonly caption: string;
  /** The webhook whose deliveries are shown, or null for the deliveries to all webhooks. */
  readonly webhookId: string | null;
  /** Whether all events have the same tenant, which the page names already. */
  readonly isOneTenant: boolean;
  /** The event id after which events are marked as new, or null if no event is marked. */
  readonly arrivedAfter: string | null;
  /** The selected events. It is empty and has no check boxes if the user may not resend events. */
  readonly selection: EventSelection;
}

export function EventTable({ events, caption, ...props }: EventTableProps) {
  const { webhookId, isOneTenant, arrivedAfter, selection } = props;
  const address = useAddress();
  const columns: readonly Column<ListedEvent>[] = [
    {
      name: 'Event',
      isMain: true,
      cell: ({ id, type, tenantId, validation }) => (
        <span class="with-choice">
          <SelectEvent id={id} type={type} selection={selection} />
          <span>
            <a class="row-link breakable" href={address(`/events/${id}`)}>
              {type}
            </a>
            <span class="under">
              <Identifier id={id} what="event id" />
            </span>
            {tenantId !== null && !isOneTenant && (
              <span class="under small">
                <TenantLink id={tenantId} />
              </span>
            )}
            <ValidationResult validation={validation} />
          </span>
        </span>
      ),
    },
    {
      name: webhookId === null ? 'Deliveries' : 'Delivery to this webhook',
      cell: ({ deliveries, deliveriesComplete }) => (
        <DeliverySummary
          areComplete={deliveriesComplete}
          deliveries={deliveries.filter((each) => webhookId === null || each.webhookId === webhookId)}
        />
      ),
    },
    { name: 'Created', isNumber: true, cell: ({ created }) => <Time at={created} /> },
  ];
  return (
    <DataTable
      caption={caption}
      columns={columns}
      rows={events}
      keyOf={({ id }) => id}
      hasArrived={({ id }) => arrivedAfter !== null && id > arrivedAfter}
    />
  );
}

interface SelectEventProps {
  readonly id: string;
  readonly type: string;
  readonly selection: EventSelection;
}

function SelectEvent({ id, type, selection: { maySelect, chosen, choose } }: SelectEventProps) {
  return maySelect ? (
    <label class="choose">
      <input
        type="checkbox"
        checked={chosen.has(id)}
        onChange={({ currentTarget: { checked } }) => {
          choose([id], checked);
        }}
      />
      <span class="hidden">
        Select {type} {id}
      </span>
    </label>
  ) : null;
}
