import { pause } from './pause.js';

const maximumTries = 3;
const longestWaitMs = 5000;
/** The time after which a GET request without a response fails, in milliseconds. */
const readTimeoutMs = 30_000;
const tryAgainLater: ReadonlySet<number> = new Set([429, 503]);

/**
 * A `fetch` that retries a GET request up to twice, after a rate limit or while a server is unavailable. Requests that
 * change data are sent once, because the user decides about repeating them.
 */
export async function fetchWithRetries(request: Request): Promise<Response> {
  const options = request.method === 'GET' ? withTimeout(request.signal) : {};
  let response = await fetch(request.clone(), options);
  for (let tries = 1; tries < maximumTries && mayRepeat(request, response); tries += 1) {
    await pause(waitMs(response), request.signal);
    request.signal.throwIfAborted();
    response = await fetch(request.clone(), options);
  }
  return response;
}

function withTimeout(signal: AbortSignal): RequestInit {
  return { signal: AbortSignal.any([signal, AbortSignal.timeout(readTimeoutMs)]) };
}

function mayRepeat(request: Request, response: Response): boolean {
  return request.method === 'GET' && tryAgainLater.has(response.status) && waitMs(response) <= longestWaitMs;
}

function waitMs(response: Response): number {
  const seconds = Number(response.headers.get('Retry-After') ?? '1');
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : longestWaitMs + 1;
}
