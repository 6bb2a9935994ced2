import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface FormProps {
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/**
 * A form that the page submits by script. The browser validates the fields first. After a submission the first field
 * with an error gets the focus, because a long form can hide it, and folded fields with an error are shown.
 */
export function Form({ onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [, setSubmissions] = useState(0);
  const seeksError = useRef(false);
  // The errors of the page are there at once, and those of the service after its response.
  useEffect(() => {
    const errors = seeksError.current ? errorsIn(form.current) : [];
    if (errors.length > 0) {
      seeksError.current = false;
      errors.forEach(unfold);
      focusFieldOf(errors);
    }
  });
  return (
    <form
      class="form"
      ref={form}
      onInput={() => {
        seeksError.current = false;
      }}
      onSubmit={(event) => {
        event.preventDefault();
        seeksError.current = true;
        setSubmissions((before) => before + 1);
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

function errorsIn(form: HTMLFormElement | null): readonly Element[] {
  return [...(form?.querySelectorAll('.field-error:not(:empty)') ?? [])];
}

/** Opens the fields that the user has folded, which browsers neither show nor focus. */
function unfold(error: Element): void {
  error.closest('details')?.setAttribute('open', '');
}

function focusFieldOf([error]: readonly Element[]): void {
  error?.parentElement?.querySelector<HTMLElement>('input, select, textarea')?.focus();
}
