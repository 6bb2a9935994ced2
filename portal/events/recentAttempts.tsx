import { useCallback } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import type { Attempt } from '../../dashboard/api/types.js';
import { useRefreshed } from '../../dashboard/api/useRefreshed.js';
import { AttemptBadge } from '../../dashboard/components/attemptBadge.js';
import { DataTable, type Column } from '../../dashboard/components/dataTable.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { SkeletonRows } from '../../dashboard/components/skeleton.js';
import { Time } from '../../dashboard/components/time.js';
import { durationText } from '../../dashboard/components/timeText.js';
import { linkTo } from '../navigation/view.js';
import { useApi } from '../session/portalContext.js';

const refreshMs = 5000;
const shownAttempts = 10;

/** The newest attempts of an endpoint. */
export function RecentAttempts({ endpointId }: { readonly endpointId: string }) {
  const api = useApi();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const query = { webhookId: endpointId, limit: shownAttempts };
      return (await answerOf(api.GET('/v1/attempts', { params: { query }, signal }))).data;
    },
    [api, endpointId],
  );
  const attempts = useRefreshed(load, () => refreshMs);
  return (
    <section aria-labelledby="attempts-heading">
      <h2 id="attempts-heading">Recent deliveries</h2>
      <LoadedContent of={attempts} waiting={<SkeletonRows count={3} what="the deliveries" />}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="quiet">Nothing was sent to this endpoint yet. Send a test event to try it.</p>
          ) : (
            <div class="card card-table">
              <DataTable caption="Recent deliveries" columns={columns} rows={rows} keyOf={({ id }) => id} />
            </div>
          )
        }
      </LoadedContent>
    </section>
  );
}

const columns: readonly Column<Attempt>[] = [
  {
    name: 'Event',
    isMain: true,
    cell: ({ eventId }) => (
      <a class="row-link breakable" href={linkTo('events', eventId)}>
        {eventId}
      </a>
    ),
  },
  { name: 'Response', cell: (attempt) => <AttemptBadge attempt={attempt} /> },
  { name: 'Duration', isNumber: true, isMinor: true, cell: ({ durationMs }) => durationText(durationMs) },
  { name: 'Time', cell: ({ attemptedAt }) => <Time at={attemptedAt} form="relative" /> },
];
