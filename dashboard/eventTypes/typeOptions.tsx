import { useCallback } from 'preact/hooks';

import { useLoaded } from '../api/useLoaded.js';
import { useApi } from '../session/session.js';
import { readEventTypes } from './readEventTypes.js';
import { DeprecatedBadge } from './validationBadge.js';

interface TypeOptionsProps {
  readonly chosen: readonly string[];
  readonly onToggle: (name: string) => void;
}

/** The event types of the catalog as check boxes, deprecated event types last. Without a catalog, it shows nothing. */
export function TypeOptions({ chosen, onToggle }: TypeOptionsProps) {
  const api = useApi();
  const load = useCallback((signal: AbortSignal) => readEventTypes(api, signal), [api]);
  const { value } = useLoaded(load);
  if (value === null || value.length === 0) {
    return null;
  }
  return (
    <fieldset class="choices type-options">
      <legend>Event types of the catalog</legend>
      {value.map(({ name, deprecated }) => (
        <label key={name} class="choice">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={() => {
              onToggle(name);
            }}
          />
          <span class="breakable">
            {name} {deprecated && <DeprecatedBadge />}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
