import { z } from 'zod';

import type { Metrics } from '../../../shared/runtime/metrics.js';
import type { Readiness } from '../../../shared/runtime/readiness.js';
import { jsonResponse, type HandlerResult } from '../../http/response.js';
import { publicRoute, type Route } from '../../http/route.js';

export interface OperationHandlers {
  readonly health: () => Promise<HandlerResult>;
  readonly readiness: () => Promise<HandlerResult>;
  /** The handler of the metrics, or null if another port serves the metrics. */
  readonly metrics: (() => Promise<HandlerResult>) | null;
}

const tag = 'Operations';

export function operationRoutes(operations: OperationHandlers): readonly Route[] {
  const { metrics } = operations;
  return [
    checkHealth(operations),
    checkReadiness(operations),
    ...(metrics === null ? [] : [readMetrics(metrics)]),
  ];
}

function checkHealth(operations: OperationHandlers): Route {
  return publicRoute({
    path: '/healthz',
    operationId: 'checkHealth',
    tag,
    summary: 'Check the health of the process',
    description:
      'The liveness check for an orchestrator. Restart the process if this operation does not ' + 'respond.',
    response: healthSchema,
    isProbe: true,
    examples: { response: { status: 'ok' } },
    handle: operations.health,
  });
}

function checkReadiness(operations: OperationHandlers): Route {
  return publicRoute({
    path: '/readyz',
    operationId: 'checkReadiness',
    tag,
    summary: 'Check the readiness of the process',
    description:
      'The readiness check for a load balancer. The response is 503 while MongoDB or a ' +
      'required read model is unavailable, and as soon as the process starts to stop. The ' +
      'readiness does not depend on Kafka. While only Kafka is unavailable, reads continue and ' +
      'the API answers writes with 503. `checks` is missing if another port serves the checks.',
    response: readinessSchema,
    isProbe: true,
    failureStatus: 503,
    examples: { response: { ready: true, checks: { mongodb: 'ok', kafka: 'ok', running: 'ok' } } },
    handle: operations.readiness,
  });
}

function readMetrics(handle: NonNullable<OperationHandlers['metrics']>): Route {
  return publicRoute({
    path: '/metrics',
    operationId: 'readMetrics',
    tag,
    summary: 'Read the metrics of the process',
    description: 'Returns the metrics of the process in the text format of Prometheus.',
    response: null,
    isProbe: true,
    handle,
  });
}

const healthSchema = z.object({ status: z.literal('ok') }).meta({ id: 'ProcessHealth' });

/**
 * The readiness of the API, with `ok` or a reason for each named check. The response contains no checks if another port
 * serves them.
 */
const readinessSchema = z
  .object({
    ready: z.boolean(),
    checks: z.record(z.string(), z.string()).optional(),
  })
  .meta({ id: 'ProcessReadiness' });

const unavailable = 503;

/**
 * The operations for load balancers, orchestrators and Prometheus.
 * @param metrics null if another port serves the metrics and the details of readiness
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
