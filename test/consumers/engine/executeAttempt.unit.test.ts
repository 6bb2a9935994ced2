import { expect } from 'chai';

import {
  createExecuteAttempt,
  createSigningKeys,
  type ExecuteAttemptDependencies,
} from '../../../consumers/engine/executeAttempt.js';
import type { AttemptOutcome } from '../../../consumers/http/httpAttempt.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { createLogger } from '../../../shared/core/logger.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import type { SigningSecrets } from '../../../shared/domain/webhooks/signingSecrets.js';
import { evolveWebhook, type Webhook } from '../../../shared/domain/webhooks/webhook.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';
import { createSecretBox } from '../../../shared/security/secretBox.js';
import { start } from '../../support/facts.js';
import { webhookCreated } from '../../support/webhookFacts.js';
import { retryDueAt } from '../retry/retryGroup.js';

const reset: AttemptOutcome = {
  outcome: 'failed',
  statusCode: null,
  error: { code: 'connection_reset', message: 'The connection ended before the response was complete' },
  responseBody: Buffer.alloc(0),
  responseTruncated: false,
  requests: 1,
  responseHeaders: {},
  retryAfter: null,
  requestHeaders: null,
  startedAt: start,
  finishedAt: start,
  durationMs: 0,
};
const succeeded: AttemptOutcome = { ...reset, outcome: 'succeeded', statusCode: 200, error: null };

type Own = Pick<ExecuteAttemptDependencies, 'attempt' | 'authenticate'> & {
  readonly confirm: () => Promise<void>;
};

/** Whether the webhook has answered each attempt so far. */
const answers: boolean[] = [];

/** Executes an attempt with this outcome, while this process closes its connections or before. */
async function execute(result: AttemptOutcome, isClosing: boolean, own: Partial<Own> = {}) {
  const executeAttempt = createExecuteAttempt({
    attempt: () => Promise.resolve(result),
    latencyTracker: {
      timed: async (_webhookId, exchange, isAnswer = () => true) => {
        const ended = await exchange();
        answers.push(isAnswer(ended));
        return ended;
      },
    },
    closing: isClosing ? AbortSignal.abort() : new AbortController().signal,
    retryPolicy: () => Promise.resolve({ kind: 'exhausted' }),
    autoDisable: { succeeded: () => undefined },
    signingKeys: () => [],
    authenticate: () => null,
    identifiers: createIdentifiers(() => 0.5),
    metrics: createMetrics(),
    logger: createLogger({ role: 'test', level: 'silent', isTerminal: false }),
    ...own,
  });
  const webhook = { ...(evolveWebhook(null, webhookCreated()) as Webhook), secrets: [] };
  const data = Buffer.from('{}');
  const content = { id: 'evt_1', type: 'a.b', created: start, data, tenantId: null };
  return executeAttempt(retryDueAt(start, 1), webhook, content, own.confirm ?? (() => Promise.resolve()));
}

describe('an attempt that is in flight while the process stops', () => {
  it('has no outcome if the process has aborted it', async () => {
    expect(await execute(reset, true)).to.equal(null);
  });

  it('has an outcome if it has succeeded', async () => {
    expect((await execute(succeeded, true))?.facts).to.have.lengthOf(1);
  });

  it('fails if its connection is reset before the process closes it', async () => {
    expect((await execute(reset, false))?.facts).to.have.lengthOf(1);
  });
});

describe('an attempt that gets no answer of its webhook in time', () => {
  for (const [code, isAnswer] of [
    ['http_status', true],
    ['connection_refused', true],
    ['timeout', false],
    ['auth_failed', false],
  ] as const) {
    it(`makes its webhook wait for few slots, ${isAnswer ? 'not ' : ''}after ${code}`, async () => {
      await execute({ ...reset, error: { code, message: '' } }, false);

      expect(answers.at(-1)).to.equal(isAnswer);
    });
  }
});

describe('an attempt with a token', () => {
  it('has no outcome if it is not confirmed after the wait for the token', async () => {
    const changed = new UnavailableError('the webhook has changed');
    const executed = execute(succeeded, false, {
      attempt: async ({ confirm }) => {
        await confirm?.();
        return succeeded;
      },
      authenticate: () => ({ request: {}, answered: () => undefined }),
      confirm: () => Promise.reject(changed),
    });

    expect(await executed.catch((error: unknown) => error)).to.equal(changed);
  });
});

const box = createSecretBox([{ id: 'test', bytes: Buffer.alloc(32, 7) }]);
const current = Buffer.from('current');
const rotated = Buffer.from('rotated');

const secretsOf = (webhookId: string): SigningSecrets => [
  { secret: box.seal(current, webhookId), created: start, expiresAt: null },
  { secret: box.seal(rotated, webhookId), created: start, expiresAt: new Date(start.getTime() + 1000) },
];

describe('the signing keys of a webhook', () => {
  let now = start;
  let opened = 0;
  const signingKeys = createSigningKeys({
    secrets: {
      ...box,
      open: (sealed, owner) => {
        opened += 1;
        return box.open(sealed, owner);
      },
    },
    clock: () => now,
  });

  beforeEach(() => {
    now = start;
    opened = 0;
  });

  it('are all valid secrets', () => {
    expect(signingKeys({ id: 'wh_1', secrets: secretsOf('wh_1') })).to.deep.equal([current, rotated]);
  });

  it('are opened once for each state of the webhook', () => {
    const webhook = { id: 'wh_1', secrets: secretsOf('wh_1') };
    signingKeys(webhook);
    signingKeys(webhook);
    expect(opened).to.equal(2);
  });

  it('exclude an expired secret, even if it was opened before', () => {
    const webhook = { id: 'wh_1', secrets: secretsOf('wh_1') };
    signingKeys(webhook);
    now = new Date(start.getTime() + 1000);
    expect(signingKeys(webhook)).to.deep.equal([current]);
  });

  it('throw if no encryption key opens a secret', () => {
    const foreign = { id: 'wh_1', secrets: secretsOf('wh_2') };
    expect(() => signingKeys(foreign)).to.throw(
      'none of the encryption keys opens the secret of the webhook wh_1',
    );
  });
});
