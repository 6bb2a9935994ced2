import { CopyButton } from './copyButton.js';

const shownEnd = 6;

interface IdentifierProps {
  readonly id: string;
  /** The resource of the id, for the copy button. Without it there is no copy button. */
  readonly what?: string;
}

/** An id. In a narrow place it is shortened in its middle, because its end distinguishes it. The copy is complete. */
export function Identifier({ id, what }: IdentifierProps) {
  return (
    <span class="identifier">
      <code class="cut" title={id}>
        <span class="cut-start">{id.slice(0, -shownEnd)}</span>
        <span>{id.slice(-shownEnd)}</span>
      </code>
      {what !== undefined && <CopyButton text={id} what={what} />}
    </span>
  );
}
