import { expect } from 'chai';

import type { AttemptOutcome } from '../../../consumers/http/httpAttempt.js';
import { createExecuteAttempt } from '../../../consumers/engine/executeAttempt.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { evolveWebhook, type Webhook } from '../../../shared/domain/webhooks/webhook.js';
import { createLogger } from '../../../shared/core/logger.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';
import { start } from '../../support/facts.js';
import { webhookCreated } from '../../support/webhookFacts.js';
import { workDueAt } from '../retry/tierMember.js';

const reset: AttemptOutcome = {
  outcome: 'failed',
  statusCode: null,
  error: { code: 'connection_reset', message: 'The connection ended before the response was complete' },
  responseBody: Buffer.alloc(0),
  responseHeaders: {},
  retryAfter: null,
  startedAt: start,
  finishedAt: start,
  durationMs: 0,
};
const succeeded: AttemptOutcome = { ...reset, outcome: 'succeeded', statusCode: 200, error: null };

/** What becomes of an attempt that ends so while, or before, connections are closed at the end of a stop. */
async function made(result: AttemptOutcome, isClosing: boolean) {
  const executeAttempt = createExecuteAttempt({
    attempt: () => Promise.resolve(result),
    latencyTracker: { timed: (_webhookId, exchange) => exchange() },
    closing: isClosing ? AbortSignal.abort() : new AbortController().signal,
    retryPolicy: () => Promise.resolve({ kind: 'last' }),
    signingKeys: () => [],
    identifiers: createIdentifiers(() => 0.5),
    metrics: createMetrics(),
    logger: createLogger({ role: 'test', level: 'silent', isTerminal: false }),
  });
  const webhook = { ...(evolveWebhook(null, webhookCreated()) as Webhook), secrets: [] };
  return executeAttempt(workDueAt(start, 1), webhook, {
    id: 'evt_1',
    type: 'a.b',
    created: start,
    data: Buffer.from('{}'),
  });
}

describe('an attempt that is cut off by our own end', () => {
  it('is not held against the receiver', async () => {
    expect(await made(reset, true)).to.equal(null);
  });

  it('is kept where it has succeeded all the same', async () => {
    expect((await made(succeeded, true))?.facts).to.have.lengthOf(1);
  });

  it('is a failure where nothing of ours has ended', async () => {
    expect((await made(reset, false))?.facts).to.have.lengthOf(1);
  });
});
