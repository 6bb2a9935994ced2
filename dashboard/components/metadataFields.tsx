import { Plus, X } from 'lucide';

import { Button } from './button.js';
import { Icon } from './icon.js';
import {
  maximumEntries,
  maximumKeyLength,
  maximumValueLength,
  type MetadataEntry,
} from './metadataEntries.js';

interface MetadataFieldsProps {
  readonly hint: string;
  readonly entries: readonly MetadataEntry[];
  readonly error: string | null;
  readonly onChange: (entries: readonly MetadataEntry[]) => void;
}

/** The lines of metadata: a key and a value each. */
export function MetadataFields({ hint, entries, error, onChange }: MetadataFieldsProps) {
  const changeAt = (index: number, changed: Partial<MetadataEntry>) => {
    onChange(entries.map((entry, at) => (at === index ? { ...entry, ...changed } : entry)));
  };
  return (
    <fieldset class="metadata" aria-describedby="metadata-hint metadata-error">
      <legend>
        Metadata <span class="quiet">(optional)</span>
      </legend>
      {entries.map(({ key, value }, index) => (
        <div key={index} class="metadata-entry">
          <input
            type="text"
            class="code"
            aria-label={`Key ${index + 1}`}
            value={key}
            maxLength={maximumKeyLength}
            placeholder="plan"
            spellcheck={false}
            onInput={({ currentTarget }) => changeAt(index, { key: currentTarget.value })}
          />
          <input
            type="text"
            aria-label={`Value ${index + 1}`}
            value={value}
            maxLength={maximumValueLength}
            placeholder="gold"
            onInput={({ currentTarget }) => changeAt(index, { value: currentTarget.value })}
          />
          <button
            type="button"
            class="icon-button"
            aria-label={`Remove entry ${index + 1}`}
            onClick={() => onChange(entries.filter((_entry, at) => at !== index))}
          >
            <Icon of={X} size={16} />
          </button>
        </div>
      ))}
      {entries.length < maximumEntries && (
        <Button isSmall icon={Plus} onClick={() => onChange([...entries, { key: '', value: '' }])}>
          Add entry
        </Button>
      )}
      <div id="metadata-error" class="field-error" aria-live="polite">
        {error}
      </div>
      <div id="metadata-hint" class="field-hint">
        {hint} At most {maximumEntries} entries.
      </div>
    </fieldset>
  );
}
