import { Plus, X } from 'lucide';
import { useId } from 'preact/hooks';

import { Button } from '../components/button.js';
import { Icon } from '../components/icon.js';
import type { HeaderLine } from './headerRules.js';

interface HeaderFieldsProps {
  readonly lines: readonly HeaderLine[];
  readonly error: string | null;
  readonly onChange: (lines: readonly HeaderLine[]) => void;
}

/** The lines of custom headers: a name and a value each. The service does not show the values that it has. */
export function HeaderFields({ lines, error, onChange }: HeaderFieldsProps) {
  const id = useId();
  const changeAt = (index: number, changed: Partial<HeaderLine>) => {
    onChange(lines.map((line, at) => (at === index ? { ...line, ...changed } : line)));
  };
  return (
    <fieldset class="metadata" aria-describedby={`${id}-hint ${id}-error`}>
      <legend>
        Headers <span class="quiet">(optional)</span>
      </legend>
      {lines.map(({ name, value, isStored }, index) => (
        <div key={index} class="metadata-entry">
          <input
            type="text"
            class="code"
            aria-label={`Name of header ${index + 1}`}
            value={name}
            placeholder="x-api-key"
            spellcheck={false}
            autocomplete="off"
            readOnly={isStored}
            onInput={({ currentTarget }) => changeAt(index, { name: currentTarget.value })}
          />
          <input
            type="text"
            class="code"
            aria-label={`Value of header ${index + 1}`}
            value={value}
            placeholder={isStored ? 'unchanged' : ''}
            spellcheck={false}
            autocomplete="off"
            onInput={({ currentTarget }) => changeAt(index, { value: currentTarget.value })}
          />
          <button
            type="button"
            class="icon-button"
            aria-label={`Remove header ${index + 1}`}
            onClick={() => onChange(lines.filter((_line, at) => at !== index))}
          >
            <Icon of={X} size={16} />
          </button>
        </div>
      ))}
      <Button
        isSmall
        icon={Plus}
        onClick={() => onChange([...lines, { name: '', value: '', isStored: false }])}
      >
        Add header
      </Button>
      <div id={`${id}-error`} class="field-error" aria-live="polite">
        {error}
      </div>
      <div id={`${id}-hint`} class="field-hint">
        Sent with each request, such as a key that the receiver requires. The values are never shown again.
      </div>
    </fieldset>
  );
}
