import { ConnectionError, InvalidResponseError, ResponseError } from '../errors.js';

/** The delay before the first retry, in milliseconds. Each further one is twice as long. */
const firstDelay = 500;
const longestDelay = 8000;
/** The longest delay that a server may ask for, in milliseconds. The caller should decide about a longer one. */
const longestAskedDelay = 60_000;

/** The conflicts that pass, in addition to the statuses that always do (see `/docs/errors` of the service). */
const temporaryCodes: ReadonlySet<string> = new Set([
  'idempotency_key_in_use',
  'deliveries_unknown',
  'request_timeout',
]);

/** Whether the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) {
    return true;
  }
  if (error instanceof ResponseError && temporaryCodes.has(error.code)) {
    return true;
  }
  return hasStatus(error) && (error.status === 429 || error.status >= 500);
}

/**
 * The delay before a retry in milliseconds, or null if the error is final. It is at least what the server asks for.
 * Otherwise it grows exponentially. A random part keeps clients that failed together from coming back together.
 * @param retries how often the request was repeated already
 * @param random from 0 to below 1
 */
export function retryDelay(error: unknown, retries: number, random = Math.random()): number | null {
  if (!isTemporary(error)) {
    return null;
  }
  const asked = askedDelay(error) ?? 0;
  const grown = Math.min(firstDelay * 2 ** retries, longestDelay);
  return asked > longestAskedDelay ? null : Math.max(asked * (1 + random / 4), grown * (0.5 + random / 2));
}

/** The delay that a server asks for in milliseconds, or null. */
export function askedDelay(error: unknown): number | null {
  return hasStatus(error) && error.retryAfter !== null ? error.retryAfter * 1000 : null;
}

/** Whether there was a response, of the API or of a server before it. */
export function hasStatus(error: unknown): error is ResponseError | InvalidResponseError {
  return error instanceof ResponseError || error instanceof InvalidResponseError;
}
