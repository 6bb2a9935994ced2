import { useCallback } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Delivery, ListedEvent } from '../api/types.js';
import { useRefreshed } from '../api/useRefreshed.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { LoadedContent } from '../components/loadedContent.js';
import { SkeletonRows } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { counted } from '../components/timeText.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi } from '../session/session.js';
import { WebhookLink } from '../webhooks/webhookLink.js';

/** The number of events that the page reads. An event contains a delivery for each webhook, so few events suffice. */
const eventsRead = 3;
const rowsShown = 8;
const refreshMs = 10_000;

interface Retry {
  readonly event: ListedEvent;
  readonly delivery: Delivery;
}

/** The deliveries of the newest events that are being retried, and the times of their next attempts. */
export function Retries({ count }: { readonly count: number }) {
  const api = useApi();
  const address = useAddress();
  const load = useCallback(
    async (signal: AbortSignal): Promise<readonly Retry[]> => {
      const query = {
        limit: eventsRead,
        fields: 'summary' as const,
        deliveryStatus: ['retrying' as const],
      };
      const { data } = await answerOf(api.GET('/v1/events', { params: { query }, signal }));
      return retriesOf(data);
    },
    [api],
  );
  const retries = useRefreshed(load, () => refreshMs);
  const columns: readonly Column<Retry>[] = [
    {
      name: 'Event',
      isMain: true,
      cell: ({ event: { id, type } }) => (
        <a class="row-link breakable" href={address(`/events/${id}`)}>
          {type}
        </a>
      ),
    },
    { name: 'Webhook', cell: ({ delivery: { webhookId } }) => <WebhookLink id={webhookId} /> },
    { name: 'Attempts', isNumber: true, cell: ({ delivery }) => delivery.attemptCount },
    {
      name: 'Next attempt',
      isNumber: true,
      cell: ({ delivery: { nextAttemptAt } }) =>
        nextAttemptAt === null ? 'now' : <Time at={nextAttemptAt} form="due" />,
    },
  ];
  return (
    <section aria-labelledby="retries-heading">
      <div class="section-head">
        <h2 id="retries-heading">Being retried</h2>
        <a href={address('/events?status=retrying')}>
          Show all events of {counted(count, 'delivery', 'deliveries')}
        </a>
      </div>
      <LoadedContent of={retries} waiting={<SkeletonRows count={3} what="retries" />}>
        {(rows) => (
          <div class="card card-table">
            <DataTable
              caption="Newest deliveries that are being retried"
              columns={columns}
              rows={rows}
              keyOf={({ event, delivery }) => `${event.id} ${delivery.webhookId}`}
            />
          </div>
        )}
      </LoadedContent>
    </section>
  );
}

/** The deliveries that are being retried. The earliest next attempt comes first. */
function retriesOf(events: readonly ListedEvent[]): readonly Retry[] {
  const timeOf = ({ delivery }: Retry) => delivery.nextAttemptAt ?? '';
  return events
    .flatMap((event) => event.deliveries.map((delivery) => ({ event, delivery })))
    .filter(({ delivery: { status } }) => status === 'retrying')
    .toSorted((one, other) => timeOf(one).localeCompare(timeOf(other)))
    .slice(0, rowsShown);
}
