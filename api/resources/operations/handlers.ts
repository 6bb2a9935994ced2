import type { Metrics } from '../../../shared/runtime/metrics.js';
import type { Readiness } from '../../../shared/runtime/readiness.js';
import { jsonResponse } from '../../http/response.js';
import type { OperationHandlers } from './routes.js';

const unavailable = 503;

/**
 * The operations for load balancers, orchestrators and Prometheus.
 * @param metrics null if another port serves the metrics, and with them the details of readiness
 */
export function createOperationHandlers(
  readiness: Readiness,
  metrics: Pick<Metrics, 'text' | 'contentType'> | null,
): OperationHandlers {
  return {
    health: () => Promise.resolve(jsonResponse({ status: 'ok' })),
    readiness: async () => {
      const report = await readiness.read();
      const answer = jsonResponse(metrics === null ? { ready: report.ready } : report);
      return report.ready ? answer : { ...answer, status: unavailable };
    },
    metrics: metrics && (async () => ({ content: await metrics.text(), contentType: metrics.contentType })),
  };
}
