import { scopeTexts, type Scope } from './scopes.js';

interface ScopeChoiceProps {
  /** Scopes are for Enterprise accounts. */
  readonly isAvailable: boolean;
  /** Null for a full key. */
  readonly scopes: readonly Scope[] | null;
  readonly onChange: (scopes: readonly Scope[] | null) => void;
}

/** What a key may do. */
export function ScopeChoice({ isAvailable, scopes, onChange }: ScopeChoiceProps) {
  if (!isAvailable) {
    return (
      <p class="quiet">
        The key may do everything in its mode. Keys with limited scopes are part of the Enterprise plan.
      </p>
    );
  }
  return (
    <fieldset class="choices">
      <legend>The key may do</legend>
      <label class="choice">
        <input type="radio" name="scopes" checked={scopes === null} onChange={() => onChange(null)} />
        <span>Everything, keys included</span>
      </label>
      <label class="choice">
        <input
          type="radio"
          name="scopes"
          checked={scopes !== null}
          onChange={() => onChange(['events:read', 'events:write'])}
        />
        <span>Only this:</span>
      </label>
      {scopes !== null && (
        <div class="choices-inner">
          {scopeTexts.map(([scope, text]) => (
            <label key={scope} class="choice">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={({ currentTarget }) => {
                  const others = scopes.filter((each) => each !== scope);
                  onChange(currentTarget.checked ? [...others, scope] : others);
                }}
              />
              <span>
                {text} <code class="quiet">{scope}</code>
              </span>
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}
