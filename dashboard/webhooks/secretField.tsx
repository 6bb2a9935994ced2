import { TextField } from '../components/textField.js';

interface SecretFieldProps {
  readonly text: string;
  readonly error: string | null;
  readonly onInput: (text: string) => void;
}

/** The signing secret that a receiver has already. */
export function SecretField({ text, error, onInput }: SecretFieldProps) {
  return (
    <TextField
      label="Use a secret from another system"
      value={text}
      onInput={onInput}
      error={error}
      placeholder="whsec_…"
      maxLength={100}
      autoComplete="off"
      hint="The signing secret that the receiver has already. Without it, a new one is created."
      isOptional
      isCode
    />
  );
}
