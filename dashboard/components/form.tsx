import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface FormProps {
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/**
 * A form that the page submits by script. The browser validates the fields first. After a submission the first field
 * with an error gets the focus, because a long form can hide it.
 */
export function Form({ onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [, setSubmissions] = useState(0);
  const seeksError = useRef(false);
  // The errors of the page are there at once, and those of the service after its response.
  useEffect(() => {
    const field = seeksError.current ? firstWithError(form.current) : null;
    if (field !== null) {
      seeksError.current = false;
      field.focus();
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

function firstWithError(form: HTMLFormElement | null): HTMLElement | null {
  const error = form?.querySelector('.field-error:not(:empty)') ?? null;
  return error?.parentElement?.querySelector<HTMLElement>('input, select, textarea') ?? null;
}
