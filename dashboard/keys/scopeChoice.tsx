import { scopeTexts, type Scope } from './scopes.js';

interface ScopeChoiceProps {
  /** Whether the account may select scopes. Scopes are only for Enterprise accounts. */
  readonly isAvailable: boolean;
  /** The selected scopes, or null for a key with full access. */
  readonly scopes: readonly Scope[] | null;
  readonly onChange: (scopes: readonly Scope[] | null) => void;
}

export function ScopeChoice({ isAvailable, scopes, onChange }: ScopeChoiceProps) {
  if (!isAvailable) {
    return (
      <p class="quiet">
        The key has full access in its mode. Keys with scopes are part of the Enterprise plan.
      </p>
    );
  }
  return (
    <fieldset class="choices">
      <legend>Scopes</legend>
      <label class="choice">
        <input type="radio" name="scopes" checked={scopes === null} onChange={() => onChange(null)} />
        <span>Full access, including API keys</span>
      </label>
      <label class="choice">
        <input
          type="radio"
          name="scopes"
          checked={scopes !== null}
          onChange={() => onChange(['events:read', 'events:write'])}
        />
        <span>Only these scopes:</span>
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
