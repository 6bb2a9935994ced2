import type { ListedEvent } from '../../dashboard/api/types.js';
import type { Column } from '../../dashboard/components/dataTable.js';
import { Time } from '../../dashboard/components/time.js';
import { linkTo } from '../navigation/view.js';

/** The columns of a list of events. `ofDeliveries` is what the list shows between an event and its time. */
export function eventColumns(ofDeliveries: readonly Column<ListedEvent>[]): readonly Column<ListedEvent>[] {
  return [
    {
      name: 'Event',
      isMain: true,
      cell: ({ id, type }) => (
        <a class="row-link breakable" href={linkTo('events', id)}>
          {type}
        </a>
      ),
    },
    ...ofDeliveries,
    { name: 'Time', cell: ({ created }) => <Time at={created} form="relative" /> },
  ];
}
