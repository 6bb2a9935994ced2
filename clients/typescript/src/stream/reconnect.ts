import { ConnectionError } from '../errors.js';
import { pause } from '../http/deadline.js';
import { askedDelay, hasStatus } from '../http/retries.js';

/** The delay before the first reconnect if the stream has asked for none, in milliseconds. */
const defaultDelay = 1000;
const longestDelay = 30_000;
/** The longest delay that a server may ask for, in milliseconds. */
const longestAskedDelay = 60_000;

/**
 * Opens another connection, after a pause before each attempt.
 * @param retry the delay that the stream has asked for in milliseconds, or null
 * @throws the error of an attempt if no other attempt will succeed, or the reason of the signal
 */
export async function reconnect(
  open: () => Promise<Response>,
  retry: number | null,
  signal: AbortSignal | undefined,
): Promise<Response> {
  let error: unknown = null;
  for (let failures = 0; ; failures += 1) {
    await pause(reconnectDelay({ error, failures, retry, random: Math.random() }), signal);
    try {
      return await open();
    } catch (failure) {
      if (!mayPass(failure)) {
        throw failure;
      }
      error = failure;
    }
  }
}

/** Whether another connection may succeed. A wrong key stays wrong, so it must not be tried forever. */
function mayPass(error: unknown): boolean {
  if (hasStatus(error)) {
    return error.status === 429 || error.status < 400 || error.status >= 500;
  }
  return error instanceof ConnectionError;
}

/**
 * The pause before a connection in milliseconds: at least what the stream or the last error asks for, and longer after
 * each failure. A random part keeps clients that lost their connections together from coming back together.
 */
export function reconnectDelay(state: {
  readonly error: unknown;
  /** The connections that have failed since the last one that worked. */
  readonly failures: number;
  readonly retry: number | null;
  /** From 0 to below 1. */
  readonly random: number;
}): number {
  const { error, failures, retry, random } = state;
  const asked = Math.min(Math.max(retry ?? defaultDelay, askedDelay(error) ?? 0), longestAskedDelay);
  const grown = failures === 0 ? 0 : Math.min(defaultDelay * 2 ** (failures - 1), longestDelay);
  return Math.max(asked, grown) * (1 + random / 4);
}
