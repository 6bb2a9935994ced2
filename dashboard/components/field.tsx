import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface FieldParts {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | null;
  readonly isOptional?: boolean;
  readonly children: (parts: FieldParts) => ComponentChildren;
}

export function Field({ label, hint, error = null, isOptional = false, children }: FieldProps) {
  const id = useId();
  const described = [hint === undefined ? '' : `${id}-hint`, error === null ? '' : `${id}-error`];
  const describedBy = described.filter((each) => each !== '').join(' ');
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="quiet"> (optional)</span>}
      </label>
      {children({ id, describedBy: describedBy === '' ? undefined : describedBy, isInvalid: error !== null })}
      <div id={`${id}-error`} class="field-error" aria-live="polite">
        {error}
      </div>
      {hint !== undefined && (
        <div id={`${id}-hint`} class="field-hint">
          {hint}
        </div>
      )}
    </div>
  );
}
