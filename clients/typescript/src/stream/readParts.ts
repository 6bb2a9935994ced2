import { ConnectionError, TimeoutError } from '../errors.js';
import { withDeadline, type Deadline } from '../http/deadline.js';

/**
 * The longest time without a byte, in milliseconds. The service sends a comment every 15 seconds, so a silent connection
 * is lost, even if the platform has not noticed.
 */
const longestSilence = 45_000;

/**
 * The text of a response, in parts, until the server ends it. The connection is closed when the caller stops reading.
 * @throws ConnectionError if the connection is lost, or the reason of the signal
 */
export async function* readParts(
  { body }: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void> {
  if (body === null) {
    return;
  }
  const reader = body.getReader();
  // A part may end within a character.
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await withDeadline(silence(signal), () => reader.read().catch(lost));
      if (done) {
        return;
      }
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

function silence(signal: AbortSignal | undefined): Deadline {
  const onTimeout = (): Error =>
    new TimeoutError(`The stream was silent for ${longestSilence} ms.`, { idempotencyKey: null });
  return { milliseconds: longestSilence, onTimeout, signal };
}

function lost(cause: unknown): never {
  throw new ConnectionError('The connection of the stream was lost.', { idempotencyKey: null, cause });
}
