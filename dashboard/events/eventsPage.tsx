import { Radio } from 'lucide';
import { useCallback, useMemo } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import { useLoaded } from '../api/useLoaded.js';
import { useRepeated } from '../api/useRepeated.js';
import { Button } from '../components/button.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { SkeletonRows } from '../components/skeleton.js';
import { counted } from '../components/timeText.js';
import { useParameters } from '../navigation/useParameters.js';
import { useApi } from '../session/session.js';
import { filtersOf, queryOf, type EventFilters } from './eventFilters.js';
import { EventList, type FoundPage } from './eventList.js';
import { FilterBar } from './filterBar.js';
import { LiveLine } from './liveLine.js';
import { useArrivals } from './useArrivals.js';

const limit = 25;
const refreshMs = 3000;

export function EventsPage() {
  const [parameters, change] = useParameters();
  const query = parameters.toString();
  const filters = useMemo(() => filtersOf(new URLSearchParams(query)), [query]);
  const { startingAfter, endingBefore } = filters;
  const isFirstPage = startingAfter === null && endingBefore === null;
  const isLive = isFirstPage && parameters.get('live') === '1';
  return (
    <PageFrame
      title="Events"
      lede="All events of the account, with the status of their deliveries."
      turn={startingAfter ?? endingBefore ?? ''}
      actions={
        <Button
          icon={Radio}
          kind={isLive ? 'primary' : 'secondary'}
          onClick={() => {
            change({ live: isLive ? null : '1', after: null, before: null });
          }}
        >
          {isLive ? 'Stop following' : 'Follow live'}
        </Button>
      }
    >
      <FilterBar />
      <FoundEvents filters={filters} isLive={isLive} />
    </PageFrame>
  );
}

interface FoundEventsProps {
  readonly filters: EventFilters;
  readonly isLive: boolean;
}

function FoundEvents({ filters, isLive }: FoundEventsProps) {
  const api = useApi();
  const load = useCallback(
    async (signal: AbortSignal): Promise<FoundPage> => {
      const query = { limit, ...queryOf(filters, new Date()) };
      return { list: await answerOf(api.GET('/v1/events', { params: { query }, signal })), filters };
    },
    [api, filters],
  );
  const page = useLoaded(load);
  const { mark, arrived, trouble } = useArrivals(isLive, filters.types, page.value);
  // In live mode the event list is also reloaded. The event stream filters only by type, and reports changes of an
  // event for only a minute.
  useRepeated(page.reload, isLive ? refreshMs : null);
  return (
    <>
      {isLive && <LiveLine count={arrived.length} trouble={trouble} />}
      <p class="hidden" role="status">
        {isLive || page.isStale ? '' : foundText(page.value)}
      </p>
      <LoadedContent of={page} waiting={<SkeletonRows count={10} what="events" />}>
        {(found) => <EventList page={found} arrived={isPlain(found.filters) ? arrived : []} mark={mark} />}
      </LoadedContent>
    </>
  );
}

/** Whether all events of the event stream match the filters of the list. The stream itself filters only by type. */
function isPlain({ status, webhookId, until }: EventFilters): boolean {
  return status === null && webhookId === null && until === null;
}

function foundText(page: FoundPage | null): string {
  if (page === null) {
    return '';
  }
  const { data, hasMore } = page.list;
  return data.length === 0 ? 'No events.' : `${counted(data.length, 'event')}${hasMore ? ', and more' : ''}.`;
}
