import type { Clock } from '../../shared/core/clock.js';
import { messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import { apiError, serviceUnavailable } from '../http/apiError.js';
import type { ApiMiddleware } from '../http/context.js';
import { writeError } from '../http/response.js';

/**
 * Assigns an id to each request, for its response and for the log.
 * @param commonHeaders the headers of every response
 */
export function createRequestIds(
  identifiers: Identifiers,
  clock: Clock,
  commonHeaders: Readonly<Record<string, string>>,
): ApiMiddleware {
  return (context, next) => {
    const requestId = identifiers.create('req', clock());
    context.state = { requestId, route: null, caller: null, body: null, posted: null };
    context.set('Request-Id', requestId);
    context.set(commonHeaders);
    return next();
  };
}

/**
 * The metric label of requests to unknown paths. Clients choose unknown paths, so these paths must not become label
 * values.
 */
const noRoute = 'none';
const firstErrorStatus = 400;

/** Measures each request and logs one line for each request. */
export function createRequestLog(metrics: Metrics, logger: Logger): ApiMiddleware {
  return async (context, next) => {
    const startedAt = performance.now();
    await next();
    const milliseconds = performance.now() - startedAt;
    const { method, status } = context;
    const { requestId, caller, route: matched } = context.state;
    const route = matched?.path ?? noRoute;
    metrics.httpRequestSeconds.observe({ route, method, status }, milliseconds / 1000);
    const line = {
      requestId,
      accountId: caller?.accountId,
      mode: caller?.mode,
      method,
      route,
      status,
      milliseconds,
    };
    if (status < firstErrorStatus) {
      logger.debug(line, 'request');
    } else {
      logger.info(line, 'request');
    }
  };
}

/** Maps exceptions to responses: 503 for a temporary failure, otherwise 500 without the reason. */
export function createErrorMapping(logger: Logger): ApiMiddleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const { requestId, route } = context.state;
      if (error instanceof UnavailableError) {
        logger.warn(
          { requestId, reason: error.message, cause: causeOf(error) },
          'the service was unavailable for a request',
        );
        writeError(context, serviceUnavailable(error));
      } else {
        const stack = error instanceof Error ? error.stack : messageOf(error);
        logger.error({ requestId, route: route?.path, stack }, 'a request failed');
        writeError(context, internalError);
      }
    }
  };
}

const internalError = apiError(
  'internal_error',
  'An internal error occurred. Retry the request. If the error persists, report the request id.',
);

function causeOf({ cause }: Error): string | undefined {
  return cause === undefined ? undefined : messageOf(cause);
}
