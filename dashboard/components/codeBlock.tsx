import { CopyButton } from './copyButton.js';

interface CodeBlockProps {
  readonly text: string;
  /** The name of the content, for screen readers and the copy button. */
  readonly what: string;
  /** The name for screen readers, if `what` does not distinguish it from other blocks. */
  readonly label?: string;
  /** Wraps long lines, for content that is read instead of run. */
  readonly isWrapped?: boolean;
}

/** Preformatted text. The keyboard can focus it, so that it can be scrolled. */
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
