import { fieldTime } from '../components/timeText.js';
import { firstPage } from '../navigation/pageLinks.js';
import { useParameters } from '../navigation/useParameters.js';
import { filtersOf, withins } from './eventFilters.js';

/** The changes of the page's address that remove the time range. */
export const anyTime = { within: null, since: null, until: null };

/** The option that selects a custom time range. */
const own = 'own';

/** A filter by a time range up to now, or by a custom range. */
export function TimeFilter() {
  const [parameters, change] = useParameters();
  const { within, since, until } = filtersOf(parameters);
  const isOwn = since !== null || until !== null || parameters.get('within') === own;
  return (
    <>
      <label class="filter">
        <span>Time</span>
        <select
          onChange={({ currentTarget: { value } }) => {
            change({ ...firstPage, ...anyTime, within: value });
          }}
        >
          <option value="" selected={within === null && !isOwn}>
            Any
          </option>
          {withins.map(([each, text]) => (
            <option key={each} value={each} selected={each === within}>
              {text}
            </option>
          ))}
          <option value={own} selected={isOwn}>
            From … to …
          </option>
        </select>
      </label>
      {isOwn && (
        <div class="filter-times">
          <TimeField name="since" text="From" value={since} />
          <TimeField name="until" text="To" value={until} />
        </div>
      )}
    </>
  );
}

interface TimeFieldProps {
  readonly name: 'since' | 'until';
  readonly text: string;
  readonly value: string | null;
}

function TimeField({ name, text, value }: TimeFieldProps) {
  const [, change] = useParameters();
  return (
    <label class="filter">
      <span>{text}</span>
      <input
        type="datetime-local"
        value={value === null ? '' : fieldTime(new Date(value))}
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.value;
          const time = chosen === '' ? null : new Date(chosen).toISOString();
          change({ ...firstPage, within: own, [name]: time });
        }}
      />
    </label>
  );
}
