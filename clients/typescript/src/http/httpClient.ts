import { ConnectionError, PostriderError, ResponseError, TimeoutError } from '../errors.js';
import type { JsonPath } from '../json/decodeJson.js';
import { encodeJson } from '../json/encodeJson.js';
import { searchOf, type Query } from './address.js';
import { answerOf, errorOf, invalidResponse, valueOf } from './answer.js';
import { checkedRetries, checkedTimeout, type Configuration } from './configuration.js';
import { pause, withDeadline } from './deadline.js';
import type { IdempotentRequestOptions, RawDataOptions } from './requestOptions.js';
import { retryDelay } from './retries.js';

/** A request of one method. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The encoded path, which begins with a slash. */
  readonly path: string;
  readonly query?: Query;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the response has the data of events. */
  readonly rawPaths?: readonly JsonPath[];
  /** What a deletion answers. A retry returns it if it finds nothing, because an earlier attempt has deleted it. */
  readonly answerIfGone?: object;
  readonly options: IdempotentRequestOptions & RawDataOptions<boolean>;
}

/** Sends requests to the service, and repeats them after temporary failures. */
export interface HttpClient {
  /** The value of the response. */
  readonly send: (request: ApiRequest) => Promise<object>;
  /** The response of a stream, as soon as it begins. The timeout applies until then. */
  readonly open: (request: ApiRequest) => Promise<Response>;
}

/** A request with what its attempts have in common. */
interface Outgoing {
  readonly url: string;
  readonly init: RequestInit;
  readonly idempotencyKey: string | null;
  readonly timeout: number;
  readonly maxRetries: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * A client with checked options.
 * @param wait waits before a retry for some milliseconds
 */
export function createHttpClient(configuration: Configuration, wait: typeof pause = pause): HttpClient {
  const outgoingOf = ({ method, path, query = {}, body, headers, options }: ApiRequest): Outgoing => {
    const idempotencyKey = method === 'POST' ? keyOf(options) : null;
    return {
      url: `${configuration.baseUrl}${path}${searchOf(query)}`,
      init: {
        method,
        // A redirect would send the key to another address.
        redirect: 'manual',
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${configuration.apiKey}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
          ...headers,
        },
        ...(body !== undefined && { body: encodeJson(body) }),
      },
      idempotencyKey,
      timeout: checkedTimeout(options.timeout ?? configuration.timeout),
      maxRetries: checkedRetries(options.maxRetries ?? configuration.maxRetries),
      signal: options.signal,
    };
  };

  const attempt = async <Result>(
    { url, init, idempotencyKey, timeout, signal }: Outgoing,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> => {
    const late = `${configuration.baseUrl} has not answered within ${timeout} ms. Pass a longer timeout, or check whether the service is busy.`;
    const onTimeout = (): Error => new TimeoutError(late, { idempotencyKey });
    try {
      return await withDeadline({ milliseconds: timeout, onTimeout, signal }, async (ending) =>
        read(await configuration.fetch(url, { ...init, signal: ending })),
      );
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof PostriderError ? error : connectionError(configuration, error, idempotencyKey);
    }
  };

  const withRetries = async <Result>(
    { maxRetries, signal }: Outgoing,
    attemptOnce: () => Promise<Result>,
  ): Promise<Result> => {
    for (let retries = 0; ; retries += 1) {
      try {
        return await attemptOnce();
      } catch (error) {
        const delay = retries < maxRetries ? retryDelay(error, retries) : null;
        if (delay === null) {
          throw error;
        }
        await wait(delay, signal);
      }
    }
  };

  const send = async (request: ApiRequest): Promise<object> => {
    const { rawPaths = [], answerIfGone, options } = request;
    const outgoing = outgoingOf(request);
    let mayHaveWorked = false;
    return withRetries(outgoing, async () => {
      try {
        const answer = await attempt(outgoing, (response) => answerOf(response, outgoing.idempotencyKey));
        return valueOf(answer, options.rawData === true ? rawPaths : []);
      } catch (error) {
        if (mayHaveWorked && answerIfGone !== undefined && isMissing(error)) {
          return answerIfGone;
        }
        mayHaveWorked ||= !(error instanceof ResponseError) || error.status >= 500;
        throw error;
      }
    });
  };

  const open = async (request: ApiRequest): Promise<Response> => {
    const outgoing = outgoingOf(request);
    const checked = async (response: Response): Promise<Response> => {
      const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
      if (response.status === 200 && type.trim().toLowerCase() === 'text/event-stream') {
        return response;
      }
      const answer = await answerOf(response, null);
      throw response.ok ? invalidResponse(answer, 'is no event stream') : errorOf(answer);
    };
    return withRetries(outgoing, () => attempt(outgoing, checked));
  };

  return { send, open };
}

/** The idempotency key of a call. All its attempts have the same, so they have one effect together. */
function keyOf({ idempotencyKey = crypto.randomUUID() }: IdempotentRequestOptions): string {
  if (!/^[\x20-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw new TypeError(
      'idempotencyKey is invalid. Pass 1 to 255 printable ASCII characters, such as a UUID.',
    );
  }
  return idempotencyKey;
}

function isMissing(error: unknown): boolean {
  return error instanceof ResponseError && error.code === 'resource_missing';
}

function connectionError(
  { baseUrl }: Configuration,
  cause: unknown,
  idempotencyKey: string | null,
): ConnectionError {
  const message = `The connection to ${baseUrl} failed (${reasonOf(cause)}). Check baseUrl or POSTRIDER_URL, and whether the service runs.`;
  return new ConnectionError(message, { cause, idempotencyKey });
}

/** What `fetch` says. Node has the reason, such as `connect ECONNREFUSED 127.0.0.1:3000`, in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  if (error.cause instanceof Error) {
    return reasonOf(error.cause);
  }
  // A host with several addresses has an error without a message.
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}
