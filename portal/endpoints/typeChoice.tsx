import { useId, useState } from 'preact/hooks';

import { Badge } from '../../dashboard/components/badge.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { SkeletonRows } from '../../dashboard/components/skeleton.js';
import { useEventTypes } from '../catalog/useEventTypes.js';

interface TypeChoiceProps {
  readonly chosen: readonly string[];
  readonly onChange: (types: readonly string[]) => void;
  readonly error: string | null;
}

const everyType = '*';

/**
 * The choice of the events that an endpoint receives: all events, or types of the catalog with their descriptions. Types
 * and patterns that the endpoint has, and the catalog lacks, stay in the choice.
 */
export function TypeChoice({ chosen, onChange, error }: TypeChoiceProps) {
  const group = useId();
  const types = useEventTypes();
  const isAll = chosen.includes(everyType);
  /** The chosen types, which a change to all events and back must not lose. */
  const [picked, setPicked] = useState<readonly string[]>(isAll ? [] : chosen);
  const pick = (names: readonly string[]) => {
    setPicked(names);
    onChange(names);
  };
  return (
    <fieldset class="choices" aria-describedby={`${group}-error`}>
      <legend>Events</legend>
      <label class="choice">
        <input type="radio" name={group} checked={isAll} onChange={() => onChange([everyType])} />
        <span>All events, also of types that are added later</span>
      </label>
      <label class="choice">
        <input type="radio" name={group} checked={!isAll} onChange={() => onChange(picked)} />
        <span>Only chosen event types</span>
      </label>
      {!isAll && (
        <div class="choices-inner">
          <LoadedContent of={types} waiting={<SkeletonRows count={3} what="the event types" />}>
            {(catalog) => (
              <>
                {catalog.length === 0 && chosen.length === 0 && (
                  <p class="quiet">No event types are described here yet. Choose all events.</p>
                )}
                {offered(catalog, chosen).map(({ name, description, deprecated }) => (
                  <label key={name} class="choice">
                    <input
                      type="checkbox"
                      checked={chosen.includes(name)}
                      onChange={() => pick(toggled(chosen, name))}
                    />
                    <span class="type-choice">
                      <span>
                        <code class="breakable">{name}</code>{' '}
                        {deprecated && <Badge tone="warn">Deprecated</Badge>}
                      </span>
                      {description !== null && <span class="quiet small">{description}</span>}
                    </span>
                  </label>
                ))}
              </>
            )}
          </LoadedContent>
        </div>
      )}
      <div id={`${group}-error`} class="field-error" aria-live="polite">
        {error}
      </div>
    </fieldset>
  );
}

interface Offered {
  readonly name: string;
  readonly description: string | null;
  readonly deprecated: boolean;
}

function offered(catalog: readonly Offered[], chosen: readonly string[]): readonly Offered[] {
  const known = new Set(catalog.map(({ name }) => name));
  const others = chosen.filter((name) => name !== everyType && !known.has(name));
  return [...catalog, ...others.map((name) => ({ name, description: null, deprecated: false }))];
}

function toggled(chosen: readonly string[], name: string): readonly string[] {
  return chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name];
}
