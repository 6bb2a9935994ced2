import { CopyButton } from './copyButton.js';

interface CodeBlockProps {
  readonly text: string;
  /** The name of the content, for screen readers and the copy button. */
  readonly what: string;
  /** The name for screen readers, if `what` does not distinguish the code block from other blocks. */
  readonly label?: string;
  /** Whether long lines wrap, for content that the user reads instead of runs. */
  readonly isWrapped?: boolean;
}

/** Preformatted text with a copy button. The keyboard can focus the text, so that a user can scroll it. */
export function CodeBlock({ text, what, label = what, isWrapped = false }: CodeBlockProps) {
  return (
    <div class={isWrapped ? 'code-block code-block-wrapped' : 'code-block'}>
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}
