import { Search } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { Button } from '../components/button.js';
import { Icon } from '../components/icon.js';
import { firstPage } from '../navigation/pageLinks.js';
import { useAddress } from '../navigation/useMode.js';
import { useParameters } from '../navigation/useParameters.js';
import { useWebhooks } from '../webhooks/webhookNames.js';
import { deliveryStatuses, filtersOf, isFiltered } from './eventFilters.js';
import { faultOfEventType } from '../webhooks/eventType.js';
import { anyTime, TimeFilter } from './timeFilter.js';

const eventId = /^evt_[0-9A-Z]{26}$/i;

/**
 * The filters of the event list. The address of the page contains the filters, so that users can bookmark and share it.
 */
export function FilterBar() {
  const [parameters, change] = useParameters();
  const filters = filtersOf(parameters);
  const webhooks = useWebhooks().value?.data ?? [];
  return (
    <div class="filters" role="search" aria-label="Events">
      <SearchField />
      <label class="filter">
        <span>Status</span>
        <select
          onChange={({ currentTarget: { value } }) => {
            change({ ...firstPage, status: value });
          }}
        >
          <option value="" selected={filters.status === null}>
            Any
          </option>
          {deliveryStatuses.map((status) => (
            <option key={status} value={status} selected={status === filters.status}>
              {status.charAt(0).toUpperCase() + status.slice(1)}
            </option>
          ))}
        </select>
      </label>
      <label class="filter">
        <span>Webhook</span>
        <select
          class="webhook-select"
          onChange={({ currentTarget: { value } }) => {
            change({ ...firstPage, webhook: value });
          }}
        >
          <option value="" selected={filters.webhookId === null}>
            Any
          </option>
          {webhooks.map(({ id, url }) => (
            <option key={id} value={id} selected={id === filters.webhookId}>
              {url}
            </option>
          ))}
          {filters.webhookId !== null && !webhooks.some(({ id }) => id === filters.webhookId) && (
            <option value={filters.webhookId} selected>
              {filters.webhookId}
            </option>
          )}
        </select>
      </label>
      <TimeFilter />
      {isFiltered(filters) && (
        <Button
          kind="quiet"
          onClick={() => {
            change({ ...firstPage, ...anyTime, type: null, status: null, webhook: null });
          }}
        >
          Clear filters
        </Button>
      )}
    </div>
  );
}

/** The search field of the event list. An event id opens the event. Any other text filters by type. */
function SearchField() {
  const [parameters, change] = useParameters();
  const { route } = useLocation();
  const address = useAddress();
  const applied = parameters.get('type') ?? '';
  const [text, setText] = useState(applied);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    setText(applied);
  }, [applied]);
  const search = () => {
    const sought = text.trim();
    if (eventId.test(sought)) {
      route(address(`/events/${sought}`));
      return;
    }
    const faults = sought.split(/[\s,]+/).map((type) => (type === '' ? null : faultOfEventType(type)));
    const found = faults.find((each) => each !== null) ?? null;
    setFault(found);
    if (found === null) {
      change({ ...firstPage, type: sought });
    }
  };
  return (
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        search();
      }}
    >
      <label class="filter">
        <span>Event id or type</span>
        <span class="search-box">
          <Icon of={Search} size={15} />
          <input
            type="search"
            value={text}
            placeholder="evt_… or order.completed"
            spellcheck={false}
            autoComplete="off"
            aria-invalid={fault !== null}
            aria-describedby="search-fault"
            onInput={({ currentTarget: { value } }) => {
              setText(value);
              setFault(null);
            }}
          />
        </span>
      </label>
      <p id="search-fault" class="field-error" aria-live="polite">
        {fault}
      </p>
    </form>
  );
}
