import { expect } from 'chai';

import type { AttemptOutcome } from '../../../consumers/http/httpAttempt.js';
import { createRetryPolicy } from '../../../consumers/retry/retryPolicy.js';
import type { AttemptTrigger } from '../../../shared/domain/deliveries/deliveryFacts.js';
import { evolveWebhook, type Webhook } from '../../../shared/domain/webhooks/webhook.js';
import { secondsLater, testIdentifier } from '../../support/facts.js';
import { webhookCreated } from '../../support/webhookFacts.js';

const webhook = evolveWebhook(null, webhookCreated()) as Webhook;
const eventId = testIdentifier('evt');

const failure: AttemptOutcome = {
  outcome: 'failed',
  statusCode: 500,
  error: { code: 'http_status', message: 'The receiver answered 500' },
  responseBody: Buffer.alloc(0),
  responseTruncated: false,
  requests: 1,
  responseHeaders: {},
  retryAfter: null,
  requestHeaders: null,
  startedAt: secondsLater(0),
  finishedAt: secondsLater(10),
  durationMs: 10_000,
};

interface Case {
  /** Whether a 410 finds the webhook as it was when the request was sent. */
  readonly isCurrent?: boolean;
  readonly trigger?: AttemptTrigger;
  readonly attemptsMade?: number;
  readonly result?: Partial<AttemptOutcome>;
}

/** What a policy with a schedule of 60 s and 300 s decides, and what it has done. */
async function decide({ isCurrent = true, trigger = 'first', attemptsMade = 0, result = {} }: Case) {
  const calls: unknown[][] = [];
  const policy = createRetryPolicy({
    scheduleMs: [60_000, 300_000],
    random: () => 0,
    disableWebhook: {
      gone: async (disabled) => {
        await new Promise(setImmediate);
        calls.push(['disabled', disabled]);
        return isCurrent;
      },
    },
    autoDisable: { notice: (...noticed) => void calls.push(['noticed', ...noticed]) },
  });
  const decision = await policy({ eventId, trigger, attemptsMade }, webhook, { ...failure, ...result });
  return { decision, calls };
}

describe('the retry policy', () => {
  it('schedules the next attempt after the first delay of the schedule', async () => {
    expect((await decide({})).decision).to.deep.equal({ kind: 'retry', at: secondsLater(70) });
  });

  it('schedules each further attempt after the next delay', async () => {
    const { decision } = await decide({ trigger: 'retry', attemptsMade: 1 });
    expect(decision).to.deep.equal({ kind: 'retry', at: secondsLater(310) });
  });

  it('ends the cycle after the last delay', async () => {
    const { decision } = await decide({ trigger: 'retry', attemptsMade: 2 });
    expect(decision).to.deep.equal({ kind: 'exhausted' });
  });

  it('waits for the time that the receiver requests with Retry-After, counted from the response', async () => {
    const { decision } = await decide({ result: { retryAfter: '120' } });
    expect(decision).to.deep.equal({ kind: 'retry', at: secondsLater(130) });
  });

  it('never retries a test delivery', async () => {
    expect((await decide({ trigger: 'test' })).decision).to.deep.equal({ kind: 'exhausted' });
  });

  it('shows each failure to the automatic disabling', async () => {
    const failureWith = (isExhausted: boolean) => [
      ['noticed', webhook, { eventId, at: secondsLater(0), isExhausted }],
    ];
    expect((await decide({})).calls).to.deep.equal(failureWith(false));
    expect((await decide({ trigger: 'retry', attemptsMade: 2 })).calls).to.deep.equal(failureWith(true));
  });

  it('exhausts no schedule with a test delivery', async () => {
    const { calls } = await decide({ trigger: 'test' });
    expect(calls).to.deep.equal([['noticed', webhook, { eventId, at: secondsLater(0), isExhausted: false }]]);
  });

  it('follows the schedule after a 410 of an earlier URL', async () => {
    const { decision } = await decide({ isCurrent: false, result: { statusCode: 410 } });
    expect(decision).to.deep.equal({ kind: 'retry', at: secondsLater(70) });
  });

  it('disables the webhook after a 410, before the outcome is recorded', async () => {
    expect(await decide({ result: { statusCode: 410 } })).to.deep.equal({
      decision: { kind: 'gone' },
      calls: [['disabled', webhook]],
    });
  });

  for (const statusCode of [404, 409, 411, null]) {
    it(`does not disable the webhook after ${statusCode ?? 'an attempt without a response'}`, async () => {
      const { decision } = await decide({ result: { statusCode } });
      expect(decision).to.deep.equal({ kind: 'retry', at: secondsLater(70) });
    });
  }
});
