import { CopyButton } from './copyButton.js';

const shownEnd = 6;

interface IdentifierProps {
  readonly id: string;
  /** The kind of resource with this id, for the copy button. If `what` is missing, the component has no copy button. */
  readonly what?: string;
}

/**
 * The id of a resource. In a narrow place the id is shortened in its middle, because its end distinguishes it. The copy
 * button copies the complete id.
 */
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
