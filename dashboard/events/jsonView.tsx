import { useMemo, useState } from 'preact/hooks';

import { jsonLines } from '../api/jsonText.js';
import { Button } from '../components/button.js';
import { CopyButton } from '../components/copyButton.js';
import { counted } from '../components/timeText.js';

/** The number of JSON lines that browsers render quickly. */
const firstLines = 500;
const mostLines = 10_000;
/** The deepest indentation of JSON, because the data of an event may have a thousand levels. */
const deepestIndent = 40;

interface JsonViewProps {
  /** The JSON text that the client has sent. */
  readonly text: string;
  readonly what: string;
}

/** Formatted JSON. Each number, string and name is shown unchanged. The copy button copies the original text. */
export function JsonView({ text, what }: JsonViewProps) {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => [...jsonLines(text)], [text]);
  const shown = lines.slice(0, isWhole ? mostLines : firstLines);
  const left = lines.length - shown.length;
  return (
    <div class="card json">
      <CopyButton text={text} what={what} />
      <pre tabIndex={0} role="region" aria-label={`The event's ${what}`}>
        <code>
          {shown.map(({ depth, tokens }, index) => (
            <span key={index} class="json-line">
              {'  '.repeat(Math.min(depth, deepestIndent))}
              {tokens.map((token, at) => (
                <span key={at} class={`json-${token.kind}`}>
                  {token.text}
                </span>
              ))}
              {'\n'}
            </span>
          ))}
        </code>
      </pre>
      {left > 0 && (
        <p class="json-more">
          {counted(left, 'line')} more.{' '}
          {isWhole ? (
            'Copy the data to see all lines.'
          ) : (
            <Button
              isSmall
              onClick={() => {
                setWhole(true);
              }}
            >
              Show all lines
            </Button>
          )}
        </p>
      )}
    </div>
  );
}
