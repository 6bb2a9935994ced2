import type { ComponentChildren } from 'preact';

interface FormProps {
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/** A form that the page submits by script. The browser validates the fields first. */
export function Form({ onSubmit, children }: FormProps) {
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
