import { RotateCw } from 'lucide';
import { useCallback } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import type { ListedEvent } from '../../dashboard/api/types.js';
import { useRefreshed } from '../../dashboard/api/useRefreshed.js';
import { LinkButton } from '../../dashboard/components/button.js';
import { DataTable, type Column } from '../../dashboard/components/dataTable.js';
import { DeliverySummary } from '../../dashboard/components/deliveryBadge.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { SkeletonRows } from '../../dashboard/components/skeleton.js';
import { linkTo, linkToEventsOf } from '../navigation/view.js';
import { useMay, usePortal } from '../session/portalContext.js';
import { eventColumns } from './eventColumns.js';

const refreshMs = 5000;
const shownEvents = 10;

interface RecentEventsProps {
  readonly endpointId: string;
  /** Whether the list has the link to the recovery, which is missing if the page shows it elsewhere. */
  readonly offersRecovery: boolean;
}

/** The newest events of an endpoint, with their deliveries to it. */
export function RecentEvents({ endpointId, offersRecovery }: RecentEventsProps) {
  const { api, session } = usePortal();
  const maySend = useMay('events:write');
  const load = useCallback(
    (signal: AbortSignal) => {
      const query = { webhookId: endpointId, limit: shownEvents, fields: 'summary' as const };
      return answerOf(api.GET('/v1/events', { params: { query }, signal }));
    },
    [api, endpointId],
  );
  const events = useRefreshed(load, () => refreshMs);
  return (
    <section aria-labelledby="events-heading">
      <div class="section-head">
        <h2 id="events-heading">Recent events</h2>
        {maySend && offersRecovery && (
          <LinkButton href={linkTo('endpoints', endpointId, 'recover')} icon={RotateCw} isSmall>
            Recover events
          </LinkButton>
        )}
      </div>
      <LoadedContent of={events} waiting={<SkeletonRows count={3} what="the events" />}>
        {({ data, hasMore }) =>
          data.length === 0 ? (
            <p class="quiet">
              {session.mode === 'live'
                ? 'Nothing was sent to this endpoint yet. Send a test event to try it.'
                : 'Events in test mode are not delivered.'}
            </p>
          ) : (
            <>
              <div class="card card-table">
                <DataTable
                  caption="Recent events"
                  columns={columnsFor(endpointId)}
                  rows={data}
                  keyOf={({ id }) => id}
                />
              </div>
              {hasMore && (
                <p>
                  <a href={linkToEventsOf(endpointId)}>Show all events of this endpoint</a>
                </p>
              )}
            </>
          )
        }
      </LoadedContent>
    </section>
  );
}

function columnsFor(endpointId: string): readonly Column<ListedEvent>[] {
  const deliveriesOf = ({ deliveries }: ListedEvent) =>
    deliveries.filter(({ webhookId }) => webhookId === endpointId);
  return eventColumns([
    {
      name: 'Delivery',
      cell: (event) => (
        <DeliverySummary deliveries={deliveriesOf(event)} areComplete={event.deliveriesComplete} />
      ),
    },
    {
      name: 'Error',
      isMinor: true,
      cell: (event) => <span class="quiet breakable">{deliveriesOf(event)[0]?.error?.message ?? '–'}</span>,
    },
  ]);
}
