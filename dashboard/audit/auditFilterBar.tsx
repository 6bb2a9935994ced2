import { ClearFilters } from '../components/clearFilters.js';
import { TimeFilter } from '../components/timeFilter.js';
import { firstPage } from '../navigation/pageLinks.js';
import { useParameters } from '../navigation/useParameters.js';
import { useResourceNames } from './auditedResource.js';
import { isAuditFiltered } from './auditFilters.js';
import { actionText, groupText, knownActions } from './auditText.js';

const noFilter = { actor: null, action: null, resource: null };

/** The filters of the audit log, which the address of the page contains. */
export function AuditFilterBar() {
  const [parameters, change] = useParameters();
  return (
    <div class="filters" role="search" aria-label="Audit log">
      <label class="filter">
        <span>Id of a resource</span>
        <input
          type="search"
          value={parameters.get('resource') ?? ''}
          placeholder="wh_…, evt_… or key_…"
          spellcheck={false}
          autoComplete="off"
          onChange={({ currentTarget: { value } }) => {
            change({ ...firstPage, resource: value.trim() });
          }}
        />
      </label>
      <ActorFilter />
      <ActionFilter />
      <TimeFilter />
      <ClearFilters filters={noFilter} isFiltered={isAuditFiltered(parameters)} />
    </div>
  );
}

/** A filter by user or API key. A deleted user or key in the address is shown by its id. */
function ActorFilter() {
  const [parameters, change] = useParameters();
  const names = useResourceNames();
  const selected = parameters.get('actor');
  const known = [...names].toSorted(([, one], [, other]) => one.localeCompare(other));
  const all = selected === null || names.has(selected) ? known : [...known, [selected, selected] as const];
  return (
    <label class="filter">
      <span>User or API key</span>
      <select
        class="webhook-select"
        onChange={({ currentTarget: { value } }) => {
          change({ ...firstPage, actor: value });
        }}
      >
        <option value="" selected={selected === null}>
          Any
        </option>
        {all.map(([id, name]) => (
          <option key={id} value={id} selected={id === selected}>
            {id.startsWith('key_') ? `${name} (API key)` : name}
          </option>
        ))}
      </select>
    </label>
  );
}

function ActionFilter() {
  const [parameters, change] = useParameters();
  const selected = parameters.get('action');
  return (
    <label class="filter">
      <span>Action</span>
      <select
        onChange={({ currentTarget: { value } }) => {
          change({ ...firstPage, action: value });
        }}
      >
        <option value="" selected={selected === null}>
          Any
        </option>
        {knownActions.map(([group, actions]) => (
          <optgroup key={group} label={groupText(group)}>
            <option value={`${group}.*`} selected={selected === `${group}.*`}>
              {groupText(group)}: any action
            </option>
            {actions.map((action) => (
              <option key={action} value={`${group}.${action}`} selected={selected === `${group}.${action}`}>
                {actionText(`${group}.${action}`)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}
