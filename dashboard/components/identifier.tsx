import { CopyButton } from './copyButton.js';

const shownEnd = 6;

interface IdentifierProps {
  readonly id: string;
  /** What it is the id of, for the copy button; without it there is none. */
  readonly what?: string;
}

/** An id. Where there is no room it is cut in its middle: the end is what tells ids apart. The copy is whole. */
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
