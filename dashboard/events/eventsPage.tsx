import { Radio, Webhook, Zap } from 'lucide';
import { useCallback, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { answerOf } from '../api/answer.js';
import type { Event, List } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { useRepeated } from '../api/useRepeated.js';
import { Button, LinkButton } from '../components/button.js';
import { EmptyState } from '../components/emptyState.js';
import { LoadedContent } from '../components/loadedContent.js';
import { Notice } from '../components/notice.js';
import { PageFrame } from '../components/pageFrame.js';
import { Pager } from '../components/pager.js';
import { SkeletonRows } from '../components/skeleton.js';
import { pageLinks } from '../navigation/pageLinks.js';
import { useAddress } from '../navigation/useMode.js';
import { useParameters } from '../navigation/useParameters.js';
import { useApi } from '../session/session.js';
import { useWebhooks } from '../webhooks/webhookNames.js';
import { filtersOf, isFiltered, queryOf, type EventFilters } from './eventFilters.js';
import { EventTable } from './eventTable.js';
import { FilterBar } from './filterBar.js';
import { FirstEvent } from './firstEvent.js';
import { useLiveEvents } from './useLiveEvents.js';

const limit = 25;
const refreshMs = 3000;

export function EventsPage() {
  const [parameters, change] = useParameters();
  const query = parameters.toString();
  const filters = useMemo(() => filtersOf(new URLSearchParams(query)), [query]);
  const isFirstPage = filters.startingAfter === null && filters.endingBefore === null;
  const isLive = isFirstPage && parameters.get('live') === '1';
  return (
    <PageFrame
      title="Events"
      lede="Everything that was posted, and what became of it."
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
    (signal: AbortSignal): Promise<List<Event>> =>
      answerOf(api.GET('/v1/events', { params: { query: { limit, ...queryOf(filters) } }, signal })),
    [api, filters],
  );
  const page = useLoaded(load);
  const live = useLiveEvents(isLive, filters.types);
  // The stream tells of events, not of what becomes of them.
  useRepeated(page.reload, isLive ? refreshMs : null);
  return (
    <>
      {isLive && <LiveLine count={live.events.length} trouble={live.failure?.message ?? null} />}
      <LoadedContent of={page} waiting={<SkeletonRows count={10} what="events" />}>
        {(list) => <EventList list={list} filters={filters} fresh={isPlain(filters) ? live.events : []} />}
      </LoadedContent>
    </>
  );
}

/** Whether what comes through the stream belongs into the list: it only chooses by type. */
function isPlain({ status, webhookId, until }: EventFilters): boolean {
  return status === null && webhookId === null && until === null;
}

function LiveLine({ count, trouble }: { readonly count: number; readonly trouble: string | null }) {
  if (trouble !== null) {
    return <Notice kind="warn">{trouble}</Notice>;
  }
  return (
    <p class="live-line" role="status">
      <span class="live-dot" aria-hidden="true" />
      Following. {count === 0 ? 'Waiting for the next event …' : `${count} since you started.`}
    </p>
  );
}

interface EventListProps {
  readonly list: List<Event>;
  readonly filters: EventFilters;
  /** From the stream: some may not be in the list yet. */
  readonly fresh: readonly Event[];
}

function EventList({ list, filters, fresh }: EventListProps) {
  const { url } = useLocation();
  const known = new Set(list.data.map(({ id }) => id));
  const events = [...fresh.filter(({ id }) => !known.has(id)), ...list.data];
  if (events.length === 0) {
    return isFiltered(filters) ? <NothingFound /> : <NothingYet filters={filters} />;
  }
  return (
    <>
      <div class="card card-table">
        <EventTable events={events} caption="Events, newest first" />
      </div>
      <Pager links={pageLinks(url, list, filters)} />
    </>
  );
}

function NothingFound() {
  return (
    <EmptyState icon={Zap} title="No event passes these filters">
      <p>Take one away, or widen the time.</p>
    </EmptyState>
  );
}

function NothingYet({ filters }: { readonly filters: EventFilters }) {
  const address = useAddress();
  const hasWebhooks = (useWebhooks().value?.data.length ?? 0) > 0;
  if (filters.startingAfter !== null || filters.endingBefore !== null) {
    return (
      <EmptyState
        icon={Zap}
        title="Nothing further"
        actions={<LinkButton href={address('/events')}>Back to the newest</LinkButton>}
      >
        <p>The list ends here.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Zap}
      title="No events yet"
      actions={
        !hasWebhooks && (
          <LinkButton kind="primary" icon={Webhook} href={address('/webhooks/new')}>
            Add a webhook first
          </LinkButton>
        )
      }
    >
      <p>
        An event is something that happened, such as an order that was completed. Your program posts it once:
      </p>
      <FirstEvent />
    </EmptyState>
  );
}
