import type { ComponentChildren } from 'preact';

interface FormProps {
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/** A form that sends nothing by itself. The browser checks the fields first, and says what is missing. */
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
