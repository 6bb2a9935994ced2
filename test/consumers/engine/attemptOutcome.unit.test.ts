import { expect } from 'chai';

import type { DeliveryJob } from '../../../consumers/engine/deliveryJob.js';
import { createExecuteAttempt } from '../../../consumers/engine/executeAttempt.js';
import { attemptedFact, goneFacts } from '../../../consumers/engine/outcomeFacts.js';
import type { AttemptOutcome, AttemptRequest } from '../../../consumers/http/httpAttempt.js';
import type { RetryDecision } from '../../../consumers/retry/retryPolicy.js';
import { createLogger } from '../../../shared/core/logger.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';
import { payloadOf } from '../../../shared/domain/webhooks/requestBody.js';
import { evolveWebhook, type Webhook } from '../../../shared/domain/webhooks/webhook.js';
import { secondsLater, start, testIdentifier, testRecordId } from '../../support/facts.js';
import { webhookCreated } from '../../support/webhookFacts.js';

const webhook: Webhook = {
  ...(evolveWebhook(null, webhookCreated()) as Webhook),
  url: 'https://example.com/hook?token=planted',
};
const content = {
  ...{ id: testIdentifier('evt'), type: 'a.b', created: start, data: Buffer.from('{"a":1}') },
  tenantId: null,
};
const secrets = [Buffer.from('current'), Buffer.from('rotated')];
const attemptId = testIdentifier('att', 5);
const request = { attemptId, url: webhook.url, webhookVersion: webhook.version, eventType: content.type };

const job: DeliveryJob = {
  eventId: content.id,
  accountId: testIdentifier('acct'),
  mode: 'live',
  webhookId: webhook.id,
  cycle: 0,
  number: 2,
  attemptsMade: 1,
  trigger: 'retry',
  replayId: null,
  epoch: 0,
  positions: { event: { partition: 0, offset: null }, outcome: null },
};

const fails: AttemptOutcome = {
  outcome: 'failed',
  statusCode: 503,
  error: { code: 'http_status', message: 'The receiver answered 503' },
  responseBody: Buffer.alloc(0),
  responseTruncated: false,
  requests: 1,
  responseHeaders: {},
  retryAfter: null,
  requestHeaders: null,
  startedAt: secondsLater(2),
  finishedAt: secondsLater(2.5),
  durationMs: 500,
};
const succeeds: AttemptOutcome = { ...fails, outcome: 'succeeded', statusCode: 200, error: null };

/** Executes an attempt with this outcome, of which the retry policy decides this. */
async function execute(outcome: AttemptOutcome, decision: RetryDecision = { kind: 'exhausted' }) {
  const metrics = createMetrics();
  const inFlight: number[] = [];
  const requests: AttemptRequest[] = [];
  const lines: unknown[] = [];
  const decided: unknown[] = [];
  const succeeded: string[] = [];
  const valueOf = async () => (await metrics.attemptsInFlight.get()).values[0]?.value ?? 0;
  const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
  logger.info = (fields: unknown) => void lines.push(fields);
  const executeAttempt = createExecuteAttempt({
    attempt: async (request) => {
      requests.push(request);
      inFlight.push(await valueOf());
      return outcome;
    },
    latencyTracker: { timed: (_webhookId, exchange) => exchange() },
    closing: new AbortController().signal,
    retryPolicy: (...failure) => {
      decided.push(failure);
      return Promise.resolve(decision);
    },
    autoDisable: { succeeded: (webhookId) => void succeeded.push(webhookId) },
    signingKeys: () => secrets,
    authenticate: () => null,
    identifiers: { create: (prefix) => `${prefix}_${testRecordId(5)}`, createRecordId: () => '' },
    metrics,
    logger,
  });
  const counted = async () =>
    (await metrics.attempts.get()).values.map(({ labels, value }) => ({ labels, value }));
  const before = await counted();
  const result = await executeAttempt(job, webhook, content, () => Promise.resolve());
  inFlight.push(await valueOf());
  const seconds = (await metrics.attemptSeconds.get()).values.find(({ metricName }) =>
    metricName?.endsWith('_sum'),
  );
  return {
    result,
    requests,
    inFlight,
    lines,
    decided,
    succeeded,
    before,
    after: await counted(),
    seconds: seconds?.value,
  };
}

describe('an attempt', () => {
  it('sends the payload with the signing keys of the webhook', async () => {
    const { requests } = await execute(succeeds);
    expect(requests).to.deep.equal([
      { url: webhook.url, eventId: job.eventId, body: payloadOf(content), secrets },
    ]);
  });

  it('that succeeds has no next attempt, and is no question of the retry policy', async () => {
    const { result, decided } = await execute(succeeds, { kind: 'retry', at: secondsLater(60) });
    expect(result).to.deep.equal({
      facts: [attemptedFact(job, request, succeeds, null)],
      nextAttemptAt: null,
    });
    expect(decided).to.deep.equal([]);
  });

  it('that succeeds ends the check whether its webhook is failing', async () => {
    expect([(await execute(succeeds)).succeeded, (await execute(fails)).succeeded]).to.deep.equal([
      [job.webhookId],
      [],
    ]);
  });

  it('that fails has its next attempt when the retry policy says', async () => {
    const at = secondsLater(60);
    const { result, decided } = await execute(fails, { kind: 'retry', at });
    expect(result).to.deep.equal({ facts: [attemptedFact(job, request, fails, at)], nextAttemptAt: at });
    expect(decided).to.deep.equal([[job, webhook, fails]]);
  });

  it('that fails is the last one if the schedule is exhausted', async () => {
    const { result } = await execute(fails);
    expect(result).to.deep.equal({
      facts: [attemptedFact(job, request, fails, null)],
      nextAttemptAt: null,
    });
  });

  it('that has disabled its webhook cancels its delivery', async () => {
    const { result } = await execute(fails, { kind: 'gone' });
    expect(result).to.deep.equal({ facts: goneFacts(job, request, fails), nextAttemptAt: null });
  });

  it('is counted by its outcome and trigger, with its duration in seconds', async () => {
    const { before, after, seconds } = await execute(fails);
    const failures = { labels: { outcome: 'failed', trigger: 'retry' } };
    expect(before).to.deep.include({ ...failures, value: 0 });
    expect(before).to.deep.include({ labels: { outcome: 'succeeded', trigger: 'first' }, value: 0 });
    expect(after).to.deep.include({ ...failures, value: 1 });
    expect(after).to.have.lengthOf(before.length);
    expect(seconds).to.equal(0.5);
  });

  it('is counted as in flight until its response is complete', async () => {
    expect((await execute(succeeds)).inFlight).to.deep.equal([1, 0]);
  });

  it('has one log line that shows what happened to the delivery', async () => {
    const at = secondsLater(60);
    const { lines } = await execute(fails, { kind: 'retry', at });
    expect(lines).to.deep.equal([
      {
        accountId: job.accountId,
        eventId: job.eventId,
        webhookId: job.webhookId,
        cycle: 0,
        number: 2,
        trigger: 'retry',
        epoch: 0,
        replayId: null,
        outcome: 'failed',
        statusCode: 503,
        error: 'http_status',
        durationMs: 500,
        requests: 1,
        attemptId,
        eventType: 'a.b',
        url: 'https://example.com/hook?***',
        sinceCreatedMs: 2500,
        nextAttemptAt: at,
      },
    ]);
  });
});
