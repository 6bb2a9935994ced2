import { Send, Webhook } from 'lucide';
import { useCallback, useState } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import type { DeliveryStatus, ListedEvent } from '../../dashboard/api/types.js';
import { useRefreshed } from '../../dashboard/api/useRefreshed.js';
import { Button, LinkButton } from '../../dashboard/components/button.js';
import { DataTable } from '../../dashboard/components/dataTable.js';
import { DeliverySummary } from '../../dashboard/components/deliveryBadge.js';
import { EmptyState } from '../../dashboard/components/emptyState.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { SelectField } from '../../dashboard/components/selectField.js';
import { SkeletonRows } from '../../dashboard/components/skeleton.js';
import { ViewFrame } from '../components/viewFrame.js';
import { linkTo } from '../navigation/view.js';
import { useApi } from '../session/portalContext.js';
import { eventColumns } from './eventColumns.js';

interface EventsViewProps {
  readonly endpointId: string | null;
  readonly status: string | null;
}

const refreshMs = 5000;
const pageSize = 20;
/** The choice of the address, its text, and the statuses of deliveries that it selects. */
const choices: readonly (readonly [choice: string, text: string, statuses: readonly DeliveryStatus[]])[] = [
  ['', 'All events', []],
  ['undelivered', 'Not delivered', ['failed', 'retrying', 'canceled']],
  ['failed', 'Failed', ['failed']],
  ['retrying', 'Retrying', ['retrying']],
  ['pending', 'Pending', ['pending']],
  ['canceled', 'Canceled', ['canceled']],
  ['delivered', 'Delivered', ['delivered']],
];
const noStatuses: readonly DeliveryStatus[] = [];
const options = choices.map(([choice, text]) => [choice, text] as const);

/** The tenant's events with their deliveries, newest first. */
export function EventsView({ endpointId, status }: EventsViewProps) {
  const api = useApi();
  const [chosen, , statuses] = choices.find(([choice]) => choice === status) ?? ['', '', noStatuses];
  /** The ids after which each page begins: none for the first page. */
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const load = useCallback(
    (signal: AbortSignal) => {
      const query = {
        limit: pageSize,
        fields: 'summary' as const,
        ...(endpointId === null ? {} : { webhookId: endpointId }),
        ...(statuses.length === 0 ? {} : { deliveryStatus: [...statuses] }),
        ...(cursor === undefined ? {} : { startingAfter: cursor }),
      };
      return answerOf(api.GET('/v1/events', { params: { query }, signal }));
    },
    [api, endpointId, statuses, cursor],
  );
  const events = useRefreshed(load, () => (cursor === undefined ? refreshMs : null));
  const select = (next: string) => {
    const query = new URLSearchParams({
      ...(endpointId === null ? {} : { endpoint: endpointId }),
      ...(next === '' ? {} : { status: next }),
    }).toString();
    location.hash = `#/events${query === '' ? '' : `?${query}`}`;
  };
  return (
    <ViewFrame
      title="Events"
      lede={
        endpointId === null ? (
          'What has happened, and whether your endpoints have received it.'
        ) : (
          <span>
            Only events of one endpoint. <a href={linkTo('events')}>Show all</a>
          </span>
        )
      }
    >
      <div class="filters">
        <SelectField label="Deliveries" value={chosen} options={options} onChange={select} />
      </div>
      <LoadedContent of={events} waiting={<SkeletonRows what="the events" />}>
        {({ data, hasMore }) => (
          <>
            <Rows rows={data} isFiltered={chosen !== '' || endpointId !== null} />
            <div class="buttons">
              {cursors.length > 0 && <Button onClick={() => setCursors(cursors.slice(0, -1))}>Newer</Button>}
              {hasMore && (
                <Button onClick={() => setCursors([...cursors, data.at(-1)?.id ?? ''])}>Older</Button>
              )}
            </div>
          </>
        )}
      </LoadedContent>
    </ViewFrame>
  );
}

interface RowsProps {
  readonly rows: readonly ListedEvent[];
  readonly isFiltered: boolean;
}

function Rows({ rows, isFiltered }: RowsProps) {
  return rows.length === 0 ? (
    <EmptyState
      icon={Send}
      title={isFiltered ? 'No event matches' : 'No events yet'}
      actions={
        isFiltered ? (
          <LinkButton href={linkTo('events')}>Show all events</LinkButton>
        ) : (
          <LinkButton href={linkTo('endpoints')} icon={Webhook}>
            Open endpoints
          </LinkButton>
        )
      }
    >
      <p>
        {isFiltered
          ? 'No event has such a delivery.'
          : 'Events appear here as they happen. To try an endpoint now, send a test event to it.'}
      </p>
    </EmptyState>
  ) : (
    <div class="card card-table">
      <DataTable caption="Events" columns={columns} rows={rows} keyOf={({ id }) => id} />
    </div>
  );
}

const columns = eventColumns([
  {
    name: 'Deliveries',
    cell: ({ deliveries, deliveriesComplete }) => (
      <DeliverySummary deliveries={deliveries} areComplete={deliveriesComplete} />
    ),
  },
]);
