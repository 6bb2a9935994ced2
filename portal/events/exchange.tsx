import type { Attempt } from '../../dashboard/api/types.js';
import { CodeBlock } from '../../dashboard/components/codeBlock.js';
import { durationText } from '../../dashboard/components/timeText.js';
import { exchangeNotes } from '../../dashboard/events/exchangeNotes.js';
import { receivedResponse, sentRequest, type SentEvent } from '../../dashboard/events/sentRequest.js';

interface ExchangeProps {
  readonly attempt: Attempt;
  readonly sent: SentEvent;
}

/** The request of an attempt as it was sent, and the response as it was received. */
export function Exchange({ attempt, sent }: ExchangeProps) {
  const { statusCode, error, durationMs, number } = attempt;
  const response = receivedResponse(attempt);
  return (
    <div class="attempt-more">
      <h3>Request</h3>
      <CodeBlock
        isWrapped
        what="request"
        label={`Request of attempt ${number}`}
        text={sentRequest(sent, attempt, null)}
      />
      <p class="quiet small">Signatures and credentials are masked.</p>
      <h3>
        {statusCode === null
          ? `No response after ${durationText(durationMs)}`
          : `Response: ${statusCode}, after ${durationText(durationMs)}`}
      </h3>
      {error !== null && error.code !== 'http_status' && <p class="breakable">{error.message}.</p>}
      {response !== '' && (
        <pre class="response" tabIndex={0} role="region" aria-label={`Response to attempt ${number}`}>
          {response}
        </pre>
      )}
      {exchangeNotes(attempt).map((note) => (
        <p key={note}>{note}</p>
      ))}
    </div>
  );
}
