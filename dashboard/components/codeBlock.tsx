import { CopyButton } from './copyButton.js';

interface CodeBlockProps {
  readonly text: string;
  /** What it is, for those who listen and for the copy button. */
  readonly what: string;
  /** For those who listen, where `what` is not enough to tell it from others beside it. */
  readonly label?: string;
  /** For what is read rather than run: long lines go on below. */
  readonly isWrapped?: boolean;
}

/** Something to run or to read, as it is. It can be reached by the keyboard, to scroll it. */
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
