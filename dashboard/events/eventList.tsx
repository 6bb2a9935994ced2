import { Webhook, Zap } from 'lucide';
import { useLocation } from 'preact-iso/router';

import type { Event, List, ListedEvent, Searched } from '../api/types.js';
import { LinkButton } from '../components/button.js';
import { EmptyState } from '../components/emptyState.js';
import { Pager } from '../components/pager.js';
import { SearchedLine } from '../components/searchedLine.js';
import { pageLinks } from '../navigation/pageLinks.js';
import { pageSize } from '../navigation/pageSize.js';
import { useAddress } from '../navigation/useMode.js';
import { useMay } from '../session/session.js';
import { useWebhooks } from '../webhooks/webhookNames.js';
import { isFiltered, type EventFilters } from './eventFilters.js';
import { OtherMeaning } from './otherMeaning.js';
import { SelectionBar } from './selectionBar.js';
import type { EventSelection } from './useSelection.js';
import { EventTable } from './eventTable.js';
import { FirstEvent } from './firstEvent.js';

/** A page of events. `searched` is present after a search, and if the API has ended the page early. */
interface SearchedList extends List<ListedEvent> {
  readonly searched?: Searched | undefined;
}

/** A page of the event list, with the filters of its request. */
export interface FoundPage {
  readonly list: SearchedList;
  readonly filters: EventFilters;
}

/** The events of the list, with the events from the event stream that the list does not yet contain. */
export function shownEvents({ list, filters }: FoundPage, arrived: readonly Event[]): readonly ListedEvent[] {
  const known = new Set(list.data.map(({ id }) => id));
  return [...(isPlain(filters) ? arrived.filter(({ id }) => !known.has(id)) : []), ...list.data];
}

/** Whether all events of the event stream match the filters of the list. The stream itself filters by type and tenant. */
function isPlain({ search, status, webhookId, validation, until }: EventFilters): boolean {
  return [search, status, webhookId, validation, until].every((each) => each === null);
}

interface EventListProps {
  readonly page: FoundPage;
  readonly events: readonly ListedEvent[];
  /** The newest event id at the start of live mode, or null while live mode is off. */
  readonly mark: string | null;
  readonly selection: EventSelection;
}

export function EventList({ page: { list, filters }, events, mark, selection }: EventListProps) {
  const { url } = useLocation();
  if (events.length === 0 && !list.hasMore) {
    return (
      <>
        <OtherMeaning filters={filters} />
        <SearchedLine searched={list.searched} what="events" isFull={list.data.length >= pageSize()} />
        <NoEvents filters={filters} />
      </>
    );
  }
  return (
    <>
      <OtherMeaning filters={filters} />
      <SearchedLine searched={list.searched} what="events" isFull={list.data.length >= pageSize()} />
      {events.length === 0 ? (
        <EmptyState icon={Zap} title="No event found so far">
          <p>The search has stopped after a second. Older events were not searched yet.</p>
        </EmptyState>
      ) : (
        <div class="card card-table">
          <SelectionBar events={events} filters={filters} selection={selection} />
          <EventTable
            events={events}
            caption="Events, newest first"
            webhookId={filters.webhookId}
            isOneTenant={filters.tenantId !== null}
            arrivedAfter={mark}
            selection={selection}
          />
        </div>
      )}
      <Pager links={pageLinks(url, list, filters)} />
    </>
  );
}

function NoEvents({ filters }: { readonly filters: EventFilters }) {
  const address = useAddress();
  if (isFiltered(filters)) {
    return (
      <EmptyState icon={Zap} title="No event matches these filters">
        <p>Remove a filter, or extend the time range, to see more events.</p>
      </EmptyState>
    );
  }
  if (filters.startingAfter !== null || filters.endingBefore !== null) {
    return (
      <EmptyState
        icon={Zap}
        title="No older events"
        actions={<LinkButton href={address('/events')}>Show newest events</LinkButton>}
      >
        <p>This page is the end of the list of events.</p>
      </EmptyState>
    );
  }
  return <NothingYet />;
}

function NothingYet() {
  const address = useAddress();
  const hasWebhooks = (useWebhooks().value?.data.length ?? 0) > 0;
  const mayAdd = useMay('developer') && !hasWebhooks;
  return (
    <EmptyState
      icon={Zap}
      title="No events yet"
      actions={
        mayAdd && (
          <LinkButton kind="primary" icon={Webhook} href={address('/webhooks/new')}>
            Add webhook
          </LinkButton>
        )
      }
    >
      <p>
        An event is a fact, such as a completed order. Your program posts each event once with this request:
      </p>
      <FirstEvent />
    </EmptyState>
  );
}
