import type { Clock } from '../../shared/clock.js';
import type { Identifiers } from '../../shared/domain/identifiers.js';
import type { ApiMiddleware } from '../context.js';

/**
 * Gives each request an id, in its answer and in the log, and its answer the headers that all have: what is said to one
 * key is kept by no cache, and taken by no browser for anything but what its content type says.
 */
export function createRequestIds(identifiers: Identifiers, clock: Clock): ApiMiddleware {
  return (context, next) => {
    const requestId = identifiers.create('req', clock());
    context.state = { requestId, route: null, caller: null, body: null };
    context.set('Request-Id', requestId);
    context.set('Cache-Control', 'no-store');
    context.set('X-Content-Type-Options', 'nosniff');
    return next();
  };
}
