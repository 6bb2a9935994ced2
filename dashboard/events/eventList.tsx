import { Webhook, Zap } from 'lucide';
import { useLocation } from 'preact-iso/router';

import type { Event, List } from '../api/types.js';
import { LinkButton } from '../components/button.js';
import { EmptyState } from '../components/emptyState.js';
import { Pager } from '../components/pager.js';
import { pageLinks } from '../navigation/pageLinks.js';
import { useAddress } from '../navigation/useMode.js';
import { useMay } from '../session/session.js';
import { useWebhooks } from '../webhooks/webhookNames.js';
import { isFiltered, type EventFilters } from './eventFilters.js';
import { EventTable } from './eventTable.js';
import { FirstEvent } from './firstEvent.js';

/** A page of the event list, with the filters of its request. */
export interface FoundPage {
  readonly list: List<Event>;
  readonly filters: EventFilters;
}

interface EventListProps {
  readonly page: FoundPage;
  /** Events from the event stream, which the list may not yet contain. */
  readonly arrived: readonly Event[];
  /** The newest event id at the start of live mode, or null while live mode is off. */
  readonly mark: string | null;
}

export function EventList({ page: { list, filters }, arrived, mark }: EventListProps) {
  const { url } = useLocation();
  const known = new Set(list.data.map(({ id }) => id));
  const events = [...arrived.filter(({ id }) => !known.has(id)), ...list.data];
  if (events.length === 0) {
    return <NoEvents filters={filters} />;
  }
  return (
    <>
      <div class="card card-table">
        <EventTable events={events} caption="Events, newest first" arrivedAfter={mark} />
      </div>
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
