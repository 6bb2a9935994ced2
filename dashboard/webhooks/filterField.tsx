import { Field } from '../components/field.js';

interface FilterFieldProps {
  readonly text: string;
  readonly onInput: (text: string) => void;
  readonly error: string | null;
}

/** The filter of a webhook as JSON text. */
export function FilterField({ text, onInput, error }: FilterFieldProps) {
  return (
    <Field
      label="Filter"
      error={error}
      isOptional
      hint="A JSON condition on the event. Events that do not match are not delivered. Without a filter, all events of the chosen types are delivered."
    >
      {({ id, describedBy, isInvalid }) => (
        <textarea
          id={id}
          class="code"
          rows={4}
          value={text}
          spellcheck={false}
          placeholder={'{"data": {"amount": {"$gte": 100}}}'}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          onInput={(event) => {
            onInput(event.currentTarget.value);
          }}
        />
      )}
    </Field>
  );
}
