import { useId } from 'preact/hooks';

interface SegmentedProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, string])[];
  readonly onChange: (value: Value) => void;
}

/** A choice among a few options side by side. Radio buttons give the choice the usual keyboard behavior. */
export function Segmented<Value extends string>({ label, value, options, onChange }: SegmentedProps<Value>) {
  const group = useId();
  return (
    <fieldset class="segmented">
      <legend class="hidden">{label}</legend>
      {options.map(([each, text]) => (
        <label key={each} class="segment">
          <input
            type="radio"
            name={group}
            value={each}
            checked={each === value}
            onChange={() => {
              onChange(each);
            }}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
