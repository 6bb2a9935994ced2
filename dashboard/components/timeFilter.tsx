import { firstPage } from '../navigation/pageLinks.js';
import { useParameters } from '../navigation/useParameters.js';
import { jumpRange, knownRange, ownRange, rangeNames, ranges } from '../navigation/ranges.js';
import { useTimeTexts } from './zone.js';

/** The changes of the page's address that remove the time range. */
export const anyTime = { within: null, since: null, until: null };

/** A filter by a time range up to now, or by a custom range. */
export function TimeFilter() {
  const [parameters, change] = useParameters();
  const within = knownRange(parameters.get('within'));
  const [since, until] = [parameters.get('since'), parameters.get('until')];
  const custom = customRange(parameters);
  return (
    <>
      <label class="filter">
        <span>Time</span>
        <select
          onChange={({ currentTarget: { value } }) => {
            change({ ...firstPage, ...anyTime, within: value });
          }}
        >
          <option value="" selected={within === null && custom === null}>
            Any
          </option>
          {rangeNames.map((each) => (
            <option key={each} value={each} selected={each === within}>
              Last {ranges[each].text}
            </option>
          ))}
          <option value={ownRange} selected={custom === ownRange}>
            From … to …
          </option>
          <option value={jumpRange} selected={custom === jumpRange}>
            Jump to a time
          </option>
        </select>
      </label>
      {custom !== null && <CustomRange within={custom} since={since} until={until} />}
    </>
  );
}

type Custom = typeof ownRange | typeof jumpRange;

/** The kind of the custom time range in the address, or null without a custom range. */
function customRange(parameters: URLSearchParams): Custom | null {
  const within = parameters.get('within');
  if (within === jumpRange) {
    return jumpRange;
  }
  const isCustom = ['within', 'since', 'until'].some((name) => parameters.has(name));
  return isCustom && knownRange(within) === null ? ownRange : null;
}

interface CustomRangeProps {
  readonly within: Custom;
  readonly since: string | null;
  readonly until: string | null;
}

function CustomRange({ within, since, until }: CustomRangeProps) {
  const isJump = within === jumpRange;
  return (
    <div class="filter-times">
      {!isJump && <TimeField name="since" within={within} text="From" value={since} />}
      <TimeField name="until" within={within} text={isJump ? 'Newest first, before' : 'To'} value={until} />
    </div>
  );
}

interface TimeFieldProps {
  readonly name: 'since' | 'until';
  readonly within: Custom;
  readonly text: string;
  readonly value: string | null;
}

function TimeField({ name, within, text, value }: TimeFieldProps) {
  const [, change] = useParameters();
  const times = useTimeTexts();
  return (
    <label class="filter">
      <span>
        {text} ({times.zoneText})
      </span>
      <input
        type="datetime-local"
        value={value === null || Number.isNaN(Date.parse(value)) ? '' : times.field(new Date(value))}
        onChange={({ currentTarget }) => {
          const time = times.ofField(currentTarget.value)?.toISOString() ?? null;
          change({ ...firstPage, within, [name]: time });
        }}
      />
    </label>
  );
}
