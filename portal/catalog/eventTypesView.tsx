import { Layers, Webhook } from 'lucide';

import type { ListedEventType } from '../../dashboard/api/types.js';
import { Badge } from '../../dashboard/components/badge.js';
import { LinkButton } from '../../dashboard/components/button.js';
import { DataTable, type Column } from '../../dashboard/components/dataTable.js';
import { EmptyState } from '../../dashboard/components/emptyState.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { SkeletonRows } from '../../dashboard/components/skeleton.js';
import { ViewFrame } from '../components/viewFrame.js';
import { linkTo } from '../navigation/view.js';
import { useEventTypes } from './useEventTypes.js';

/** The catalog: each type of event that an endpoint can receive. */
export function EventTypesView() {
  const types = useEventTypes();
  return (
    <ViewFrame title="Event types" lede="What each event means, and what its data looks like.">
      <LoadedContent of={types} waiting={<SkeletonRows what="the event types" />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon={Layers}
              title="No event types are described yet"
              actions={
                <LinkButton href={linkTo('endpoints')} icon={Webhook}>
                  Open endpoints
                </LinkButton>
              }
            >
              <p>An endpoint can still receive all events.</p>
            </EmptyState>
          ) : (
            <div class="card card-table">
              <DataTable caption="Event types" columns={columns} rows={rows} keyOf={({ name }) => name} />
            </div>
          )
        }
      </LoadedContent>
    </ViewFrame>
  );
}

const columns: readonly Column<ListedEventType>[] = [
  {
    name: 'Type',
    isMain: true,
    cell: ({ name, deprecated }) => (
      <>
        <a class="row-link breakable" href={linkTo('event-types', name)}>
          {name}
        </a>{' '}
        {deprecated && <Badge tone="warn">Deprecated</Badge>}
      </>
    ),
  },
  {
    name: 'Description',
    cell: ({ description }) => description ?? <span class="quiet">–</span>,
  },
];
