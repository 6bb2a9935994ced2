import { ConnectionError, InvalidResponseError, StreamGapError } from '../errors.js';
import type { ApiRequest, HttpClient } from '../http/httpClient.js';
import { decodeJson } from '../json/decodeJson.js';
import { createEventSourceParser, type ServerSentEvent } from './eventSourceParser.js';
import { readParts } from './readParts.js';
import { createRecentIds } from './recentIds.js';
import { reconnect } from './reconnect.js';

/** A request of an event stream. */
export interface StreamRequest extends Omit<ApiRequest, 'method' | 'headers'> {
  /** The event after which the stream begins. Without it, the stream has only new events. */
  readonly lastEventId: string | undefined;
}

/**
 * The number of ids in memory. The service sends an event again after a reconnect, or when it has changed, but only if it
 * is among the newest 1,000.
 */
const rememberedIds = 10_000;

/**
 * The events of a stream, each once. A lost connection is replaced by another one, which continues after the last event.
 * The connection is closed when the caller stops reading.
 * @throws StreamGapError if the service has omitted events, ResponseError if it rejects the stream, InvalidResponseError if
 *   the stream has what the service never sends
 */
export async function* followStream(
  client: Pick<HttpClient, 'open'>,
  request: StreamRequest,
): AsyncGenerator<object, void> {
  const { options, rawPaths = [] } = request;
  let lastEventId = checkedId(request.lastEventId);
  const seen = createRecentIds(rememberedIds);
  if (lastEventId !== '') {
    seen.add(lastEventId);
  }

  const open = (retries?: { readonly maxRetries: number }): Promise<Response> => {
    const continued = lastEventId === '' ? {} : { 'last-event-id': lastEventId };
    const headers = { accept: 'text/event-stream', ...continued };
    return client.open({ ...request, method: 'GET', headers, options: { ...options, ...retries } });
  };

  function* newEventsIn(messages: readonly ServerSentEvent[]): Generator<object, void> {
    for (const message of messages) {
      if (message.type === 'gap') {
        throw new StreamGapError(lastEventId === '' ? null : lastEventId);
      }
      if (message.type === 'event') {
        const event = decodeJson(message.data, options.rawData === true ? rawPaths : []) as object;
        lastEventId = message.lastEventId;
        if (seen.add(lastEventId)) {
          yield event;
        }
      }
    }
  }

  let retry: number | null = null;
  let response = await open();
  for (;;) {
    const parser = createEventSourceParser();
    try {
      for await (const part of readParts(response, options.signal)) {
        yield* newEventsIn(parser.push(part));
      }
    } catch (error) {
      if (!(error instanceof ConnectionError)) {
        throw isMalformed(error) ? invalidStream(error) : error;
      }
    }
    retry = parser.retry() ?? retry;
    response = await reconnect(() => open({ maxRetries: 0 }), retry, options.signal);
  }
}

/** Whether an event is no JSON, or too long. Another connection would send it again. */
function isMalformed(error: unknown): error is SyntaxError | RangeError {
  return error instanceof SyntaxError || error instanceof RangeError;
}

function invalidStream({ message }: Error): InvalidResponseError {
  const nothing = { body: '', requestId: null, idempotencyKey: null, retryAfter: null };
  const text = `The stream has an event that is none of the API: ${message}. Check what is between the client and Postrider.`;
  return new InvalidResponseError(text, { status: 200, ...nothing });
}

function checkedId(lastEventId = ''): string {
  if (!/^[\x21-\x7e]*$/.test(lastEventId)) {
    throw new TypeError('lastEventId is invalid. Pass the id of an event.');
  }
  return lastEventId;
}
