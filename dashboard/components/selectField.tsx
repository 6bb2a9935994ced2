import type { ComponentChildren } from 'preact';

import { Field } from './field.js';

interface SelectFieldProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, string])[];
  readonly onChange: (value: Value) => void;
  readonly hint?: ComponentChildren;
  readonly error?: string | null;
}

export function SelectField<Value extends string>({
  label,
  value,
  options,
  onChange,
  hint,
  error = null,
}: SelectFieldProps<Value>) {
  return (
    <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
      {({ id, describedBy, isInvalid }) => (
        <select
          id={id}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          value={value}
          onChange={({ currentTarget }) => {
            const chosen = options[currentTarget.selectedIndex];
            if (chosen !== undefined) {
              onChange(chosen[0]);
            }
          }}
        >
          {options.map(([each, text]) => (
            <option key={each} value={each} selected={each === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
