import type { Attempt } from '../api/types.js';
import { CodeBlock } from '../components/codeBlock.js';
import { Identifier } from '../components/identifier.js';
import { durationText } from '../components/timeText.js';
import { sentRequest, type SentEvent } from './sentRequest.js';

/** The code of an error that says no more than the status does. */
const statusOnly = 'http_status';

interface AttemptExchangeProps {
  readonly attempt: Attempt;
  readonly sent: SentEvent;
  /** Of the webhook; null where it was deleted. */
  readonly url: string | null;
}

/** What was sent in an attempt, and what came back. */
export function AttemptExchange({ attempt, sent, url }: AttemptExchangeProps) {
  const which = `attempt #${attempt.number} to ${url ?? attempt.webhookId}`;
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
        The URL is the webhook’s present one. The signature is made anew for each attempt, and not kept.
      </p>
      <Answer attempt={attempt} which={which} />
      <p class="quiet small">
        <Identifier id={attempt.id} what="attempt id" />
      </p>
    </div>
  );
}

function Answer({ attempt, which }: { readonly attempt: Attempt; readonly which: string }) {
  const { statusCode, error, responseBody, durationMs } = attempt;
  const heading =
    statusCode === null
      ? `No answer, after ${durationText(durationMs)}`
      : `Answer: ${statusCode}, after ${durationText(durationMs)}`;
  return (
    <>
      <h3>{heading}</h3>
      {error !== null && error.code !== statusOnly && <p class="breakable">{error.message}</p>}
      {responseBody === '' ? (
        statusCode !== null && <p class="quiet">It had no body.</p>
      ) : (
        <>
          <pre class="response" tabIndex={0} role="region" aria-label={`Answer to ${which}`}>
            {responseBody}
          </pre>
          <p class="quiet small">Of a body the first 4 KiB are kept.</p>
        </>
      )}
    </>
  );
}
