import type { Logger } from '../../shared/core/logger.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import type { ApiMiddleware } from '../http/context.js';

/** What a request to no known path is counted under: paths that clients make up must not become label values. */
const noRoute = 'none';
const firstErrorStatus = 400;

/** Measures each request and writes one line about it. */
export function createObservation(metrics: Metrics, logger: Logger): ApiMiddleware {
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
