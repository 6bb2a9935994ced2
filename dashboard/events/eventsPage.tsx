import { Plus, Radio } from 'lucide';
import { useCallback, useMemo } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import { useRefreshed } from '../api/useRefreshed.js';
import { AddressFaults } from '../components/addressFaults.js';
import { Button, LinkButton } from '../components/button.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { SkeletonRows } from '../components/skeleton.js';
import { counted } from '../components/timeText.js';
import { ExportButton, exportLimit, withoutPage } from '../export/exportButton.js';
import { changesWithout } from '../navigation/changedAddress.js';
import { pageSize } from '../navigation/pageSize.js';
import { useAddress } from '../navigation/useMode.js';
import { useParameters } from '../navigation/useParameters.js';
import { useApi, useMay } from '../session/session.js';
import { NamesFailure } from '../webhooks/namesFailure.js';
import { filterFaults, filtersOf, queryOf, type EventFilters } from './eventFilters.js';
import { EventList, shownEvents, type FoundPage } from './eventList.js';
import { FilterBar } from './filterBar.js';
import { LiveLine } from './liveLine.js';
import { useArrivals } from './useArrivals.js';
import { useSelection } from './useSelection.js';

const columnsOfEvents = ['id', 'type', 'created', 'tenantId', 'mode', 'deliveries', 'data'];
const refreshMs = 3000;

export function EventsPage() {
  const api = useApi();
  const address = useAddress();
  const may = useMay('developer');
  const [parameters, change] = useParameters();
  const query = parameters.toString();
  const filters = useMemo(() => filtersOf(new URLSearchParams(query)), [query]);
  const { startingAfter, endingBefore } = filters;
  const isFirstPage = startingAfter === null && endingBefore === null;
  const isLive = isFirstPage && parameters.get('live') === '1';
  const read = (after: string | null): Promise<string> => {
    const query = { ...queryOf(filtersOf(withoutPage(parameters)), new Date()), limit: exportLimit };
    const page = after === null ? query : { ...query, startingAfter: after };
    return answerOf(api.GET('/v1/events', { params: { query: page }, parseAs: 'text' }));
  };
  return (
    <PageFrame
      title="Events"
      lede="All events of the account, with the status of their deliveries."
      turn={startingAfter ?? endingBefore ?? ''}
      actions={
        <>
          {may && (
            <LinkButton icon={Plus} href={address('/events/new')}>
              Post event
            </LinkButton>
          )}
          <ExportButton what="events" columns={columnsOfEvents} read={read} />
          <Button
            icon={Radio}
            kind={isLive ? 'primary' : 'secondary'}
            onClick={() => {
              change({ live: isLive ? null : '1', after: null, before: null });
            }}
          >
            {isLive ? 'Stop following' : 'Follow live'}
          </Button>
        </>
      }
    >
      <AddressFaults
        faults={filterFaults(parameters)}
        onRemove={() => {
          change(changesWithout(filterFaults(parameters)));
        }}
      />
      <NamesFailure />
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
      const query = { limit: pageSize(), fields: 'summary' as const, ...queryOf(filters, new Date()) };
      return { list: await answerOf(api.GET('/v1/events', { params: { query }, signal })), filters };
    },
    [api, filters],
  );
  // In live mode the event list is also refreshed. The event stream filters only by type and tenant, and reports changes
  // of an event for only a minute.
  const page = useRefreshed(load, () => (isLive ? refreshMs : null));
  const selection = useSelection();
  const { mark, arrived, hasGap, trouble } = useArrivals(isLive, filters, page.value);
  const events = page.value === null ? [] : shownEvents(page.value, arrived);
  const newCount = events.filter(({ id }) => mark !== null && id > mark).length;
  return (
    <>
      {isLive && <LiveLine count={newCount} hasGap={hasGap} trouble={trouble} />}
      <p class="hidden" role="status">
        {isLive || page.isStale ? '' : foundText(page.value)}
      </p>
      <LoadedContent of={page} waiting={<SkeletonRows count={10} what="events" />}>
        {(found) => <EventList page={found} events={events} mark={mark} selection={selection} />}
      </LoadedContent>
    </>
  );
}

function foundText(page: FoundPage | null): string {
  if (page === null) {
    return '';
  }
  const { data, hasMore } = page.list;
  if (data.length === 0) {
    return hasMore ? 'No event found so far.' : 'No events.';
  }
  return `${counted(data.length, 'event')}${hasMore ? ', and more' : ''}.`;
}
