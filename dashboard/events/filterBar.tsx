import { Search } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { ClearFilters } from '../components/clearFilters.js';
import { Icon } from '../components/icon.js';
import { TenantFilter } from '../components/tenantFilter.js';
import { TimeFilter } from '../components/timeFilter.js';
import { firstPage } from '../navigation/pageLinks.js';
import { useAddress } from '../navigation/useMode.js';
import { searchFragment } from '../navigation/usePageHeading.js';
import { useParameters } from '../navigation/useParameters.js';
import { WebhookFilter } from '../webhooks/webhookFilter.js';
import { deliveryStatuses, filtersOf, isFiltered, soughtBy, validationFilters } from './eventFilters.js';

const noFilter = { type: null, search: null, status: null, webhook: null, tenant: null, validation: null };

const validationTexts = { invalid: 'Invalid', unknown: 'Not checked yet' } as const;

/**
 * The filters of the event list. The address of the page contains the filters, so that users can bookmark and share it.
 */
export function FilterBar() {
  const [parameters, change] = useParameters();
  const filters = filtersOf(parameters);
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
      <WebhookFilter />
      <TimeFilter />
      <TenantFilter />
      <label class="filter">
        <span>Data</span>
        <select
          onChange={({ currentTarget: { value } }) => {
            change({ ...firstPage, validation: value });
          }}
        >
          <option value="" selected={filters.validation === null}>
            Any
          </option>
          {validationFilters.map((each) => (
            <option key={each} value={each} selected={each === filters.validation}>
              {validationTexts[each]}
            </option>
          ))}
        </select>
      </label>
      <ClearFilters filters={noFilter} isFiltered={isFiltered(filters)} />
    </div>
  );
}

/**
 * The search field of the event list. An event id opens the event, and event types filter the list. Any other text is
 * searched in the ids and the data of events.
 */
function SearchField() {
  const [parameters, change] = useParameters();
  const { route } = useLocation();
  const address = useAddress();
  const applied = parameters.get('search') ?? parameters.get('type') ?? '';
  const [text, setText] = useState(applied);
  const [fault, setFault] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (location.hash === searchFragment) {
      field.current?.focus();
    }
  }, []);
  // An effect would also run after the first rendering, and remove letters that were typed before it.
  const [shown, setShown] = useState(applied);
  if (shown !== applied) {
    setShown(applied);
    setText(applied);
  }
  const search = () => {
    const sought = soughtBy(text);
    setFault(sought.kind === 'invalid' ? sought.fault : null);
    switch (sought.kind) {
      case 'event':
        route(address(`/events/${sought.id}`));
        break;
      case 'types':
        change({ ...firstPage, type: sought.text, search: null });
        break;
      case 'text':
        change({ ...firstPage, type: null, search: sought.text });
        break;
      case 'nothing':
        change({ ...firstPage, type: null, search: null });
        break;
      case 'invalid':
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
        <span>Id, type or text</span>
        <span class="search-box">
          <Icon of={Search} size={15} />
          <input
            ref={field}
            type="search"
            value={text}
            placeholder="evt_…, order.* or text in the data"
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
