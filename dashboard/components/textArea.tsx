import type { ComponentChildren } from 'preact';

import { Field } from './field.js';

interface TextAreaProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly rows: number;
  readonly hint?: ComponentChildren;
  readonly error?: string | null;
  readonly placeholder?: string;
}

/** A field for several lines of code, such as JSON. */
export function TextArea({ label, value, onInput, rows, hint, error = null, placeholder }: TextAreaProps) {
  return (
    <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
      {({ id, describedBy, isInvalid }) => (
        <textarea
          id={id}
          class="code"
          rows={rows}
          value={value}
          spellcheck={false}
          autoComplete="off"
          placeholder={placeholder}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          onInput={({ currentTarget }) => {
            onInput(currentTarget.value);
          }}
        />
      )}
    </Field>
  );
}
