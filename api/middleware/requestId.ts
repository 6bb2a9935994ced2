import type { Clock } from '../../shared/core/clock.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import type { ApiMiddleware } from '../http/context.js';

/**
 * Gives each request an id, in its answer and in the log.
 * @param commonHeaders those of every answer
 */
export function createRequestIds(
  identifiers: Identifiers,
  clock: Clock,
  commonHeaders: Readonly<Record<string, string>>,
): ApiMiddleware {
  return (context, next) => {
    const requestId = identifiers.create('req', clock());
    context.state = { requestId, route: null, caller: null, body: null };
    context.set('Request-Id', requestId);
    context.set(commonHeaders);
    return next();
  };
}
