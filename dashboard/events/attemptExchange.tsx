import type { Attempt } from '../api/types.js';
import { CodeBlock } from '../components/codeBlock.js';
import { Identifier } from '../components/identifier.js';
import { durationText } from '../components/timeText.js';
import { CopyAsCurl } from './copyAsCurl.js';
import { exchangeNotes } from './exchangeNotes.js';
import { receivedResponse, sentRequest, type SentEvent } from './sentRequest.js';

/** The error code that contains no more information than the status of the response. */
const statusOnly = 'http_status';

interface AttemptExchangeProps {
  readonly attempt: Attempt;
  readonly sent: SentEvent;
  /** The URL of the webhook, or null if the webhook was deleted. */
  readonly url: string | null;
}

/** The request and the response of an attempt. */
export function AttemptExchange({ attempt, sent, url }: AttemptExchangeProps) {
  const which = `attempt #${attempt.number} to ${attempt.url ?? url ?? attempt.webhookId}`;
  return (
    <div class="attempt-more">
      <h3>Request</h3>
      <CodeBlock
        isWrapped
        what="request"
        label={`Request of ${which}`}
        text={sentRequest(sent, attempt, url)}
      />
      <p class="quiet small">
        {attempt.requestHeaders === null
          ? 'The service has not stored the headers of this attempt. The page derives them from the event.'
          : 'Signatures and credentials are masked.'}
      </p>
      <p>
        <CopyAsCurl sent={sent} requestHeaders={attempt.requestHeaders} />
      </p>
      <Answer attempt={attempt} which={which} />
      <p class="quiet small">
        <Identifier id={attempt.id} what="attempt id" />
      </p>
    </div>
  );
}

function Answer({ attempt, which }: { readonly attempt: Attempt; readonly which: string }) {
  const { statusCode, error, responseBody, responseTruncated, durationMs } = attempt;
  const response = receivedResponse(attempt);
  const heading =
    statusCode === null
      ? `No response after ${durationText(durationMs)}`
      : `Response: ${statusCode}, after ${durationText(durationMs)}`;
  return (
    <>
      <h3>{heading}</h3>
      {error !== null && error.code !== statusOnly && <p class="breakable">{error.message}</p>}
      {response !== '' && (
        <>
          <pre class="response" tabIndex={0} role="region" aria-label={`Response to ${which}`}>
            {response}
          </pre>
          <p class="quiet small">
            The service stores the first 4 KiB of the headers and the first 4 KiB of the body.
          </p>
        </>
      )}
      {responseBody === '' && statusCode !== null && !responseTruncated && (
        <p class="quiet">The response had no body.</p>
      )}
      {exchangeNotes(attempt).map((note) => (
        <p key={note}>{note}</p>
      ))}
    </>
  );
}
