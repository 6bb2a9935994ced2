import type { Metrics } from '../../shared/metrics.js';
import { readinessOf, type ReadinessCheck } from '../../shared/role.js';
import { jsonAnswer, type Reply } from '../answer.js';

export interface OperationHandlers {
  readonly health: () => Promise<Reply>;
  readonly readiness: () => Promise<Reply>;
  readonly metrics: () => Promise<Reply>;
}

const unavailable = 503;

/** What operators and their machines ask a process. */
export function createOperationHandlers(
  checks: readonly ReadinessCheck[],
  metrics: Metrics,
): OperationHandlers {
  const readiness = shared(() => readinessOf(checks));
  return {
    health: () => Promise.resolve(jsonAnswer({ status: 'ok' })),
    readiness: async () => {
      const result = await readiness();
      return result.ready ? jsonAnswer(result) : { ...jsonAnswer(result), status: unavailable };
    },
    metrics: async () => ({ content: await metrics.text(), contentType: metrics.contentType }),
  };
}

/** Those who ask while an answer is under way share it: anyone may ask, and each asking costs the servers behind. */
function shared<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | null = null;
  return () => {
    underWay ??= ask().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
