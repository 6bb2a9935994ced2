import { openRoute, type Route } from '../route.js';
import type { OperationHandlers } from './handlers.js';
import { healthSchema, readinessSchema } from './schemas.js';

const tag = 'Operations';

export function operationRoutes(operations: OperationHandlers): readonly Route[] {
  return [checkHealth(operations), checkReadiness(operations), readMetrics(operations)];
}

function checkHealth(operations: OperationHandlers): Route {
  return openRoute({
    path: '/healthz',
    operationId: 'checkHealth',
    tag,
    summary: 'Ask whether the process runs',
    description: 'For an orchestrator: where this is not answered, the process is to be restarted.',
    response: healthSchema,
    examples: { response: { status: 'ok' } },
    handle: operations.health,
  });
}

function checkReadiness(operations: OperationHandlers): Route {
  return openRoute({
    path: '/readyz',
    operationId: 'checkReadiness',
    tag,
    summary: 'Ask whether the process can serve',
    description:
      'For a load balancer: 503 while something that requests need is away, and once the process stops.',
    response: readinessSchema,
    failureStatus: 503,
    examples: { response: { ready: true, checks: { kafka: 'ok', mongodb: 'ok' } } },
    handle: operations.readiness,
  });
}

function readMetrics(operations: OperationHandlers): Route {
  return openRoute({
    path: '/metrics',
    operationId: 'readMetrics',
    tag,
    summary: 'Read the metrics of the process',
    description: 'In the text format of Prometheus.',
    response: null,
    handle: operations.metrics,
  });
}
