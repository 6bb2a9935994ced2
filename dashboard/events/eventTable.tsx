import type { Event } from '../api/types.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { DeliverySummary } from '../components/deliveryBadge.js';
import { Identifier } from '../components/identifier.js';
import { Time } from '../components/time.js';
import { useAddress } from '../navigation/useMode.js';

interface EventTableProps {
  readonly events: readonly Event[];
  readonly caption: string;
  /** The event id after which events are marked as new, or null if no event is marked. */
  readonly arrivedAfter: string | null;
}

export function EventTable({ events, caption, arrivedAfter }: EventTableProps) {
  const address = useAddress();
  const columns: readonly Column<Event>[] = [
    {
      name: 'Event',
      isMain: true,
      cell: ({ id, type }) => (
        <>
          <a class="row-link breakable" href={address(`/events/${id}`)}>
            {type}
          </a>
          <span class="under">
            <Identifier id={id} what="event id" />
          </span>
        </>
      ),
    },
    { name: 'Deliveries', cell: ({ deliveries }) => <DeliverySummary deliveries={deliveries} /> },
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
