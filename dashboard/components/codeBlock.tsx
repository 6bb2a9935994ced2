import { CopyButton } from './copyButton.js';

interface CodeBlockProps {
  readonly text: string;
  /** What it is, for those who listen and for the copy button. */
  readonly what: string;
}

/** Something to run or to read, as it is. It can be reached by the keyboard, to scroll it. */
export function CodeBlock({ text, what }: CodeBlockProps) {
  return (
    <div class="code-block">
      <pre tabIndex={0} role="region" aria-label={what}>
        {text}
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}
