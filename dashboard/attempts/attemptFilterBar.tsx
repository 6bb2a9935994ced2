import { ClearFilters } from '../components/clearFilters.js';
import { TimeFilter } from '../components/timeFilter.js';
import { firstPage } from '../navigation/pageLinks.js';
import { useParameters } from '../navigation/useParameters.js';
import { WebhookFilter } from '../webhooks/webhookFilter.js';
import { outcomes } from './attemptFilters.js';

const noFilter = {
  webhook: null,
  status: null,
  code: null,
  error: null,
  type: null,
};

/** The filters of the attempt list, which the address of the page contains. */
export function AttemptFilterBar() {
  const [parameters, change] = useParameters();
  const status = parameters.get('status');
  return (
    <div class="filters" role="search" aria-label="Attempts">
      <label class="filter">
        <span>Result</span>
        <select
          onChange={({ currentTarget: { value } }) => {
            change({ ...firstPage, status: value });
          }}
        >
          <option value="" selected={status === null}>
            Any
          </option>
          {outcomes.map((each) => (
            <option key={each} value={each} selected={each === status}>
              {each === 'failed' ? 'Failed' : 'Succeeded'}
            </option>
          ))}
        </select>
      </label>
      <TextFilter name="code" text="Status code" placeholder="503" />
      <TextFilter name="error" text="Error code" placeholder="timeout" />
      <TextFilter name="type" text="Event type" placeholder="order.*" />
      <WebhookFilter />
      <TimeFilter />
      <ClearFilters filters={noFilter} isFiltered={parameters.size > 0} />
    </div>
  );
}

interface TextFilterProps {
  readonly name: string;
  readonly text: string;
  readonly placeholder: string;
}

function TextFilter({ name, text, placeholder }: TextFilterProps) {
  const [parameters, change] = useParameters();
  return (
    <label class="filter filter-short">
      <span>{text}</span>
      <input
        type="search"
        value={parameters.get(name) ?? ''}
        placeholder={placeholder}
        spellcheck={false}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => {
          change({ ...firstPage, [name]: value.trim() });
        }}
      />
    </label>
  );
}
