import { expect } from 'chai';

import { createDeliver, type DeliverDependencies } from '../../../consumers/engine/deliver.js';
import { createPausableAttempts } from '../../../consumers/engine/pausableAttempts.js';
import type { DeliveryJob, JobOrigin } from '../../../consumers/engine/deliveryJob.js';
import { createInFlightRegistry } from '../../../consumers/engine/inFlightRegistry.js';
import { createOutcomeBackpressure } from '../../../consumers/engine/outcomeBackpressure.js';
import type { OutcomeLog } from '../../../consumers/engine/outcomeLog.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { Replay } from '../../../shared/domain/replays/replay.js';
import { evolveWebhook, type Webhook, type WebhookState } from '../../../shared/domain/webhooks/webhook.js';
import { succeeded } from '../../support/deliveryFacts.js';
import { start, testIdentifier } from '../../support/facts.js';
import { webhookCreated, webhookDisabled, webhookEnabled } from '../../support/webhookFacts.js';

const never = new AbortController().signal;

function webhookAfter(...facts: Parameters<typeof evolveWebhook>[1][]): Webhook {
  const state = [webhookCreated(), ...facts].reduce<WebhookState>(evolveWebhook, null);
  if (state === null || state.status === 'deleted') {
    throw new Error('there is no webhook');
  }
  return state;
}

const active = webhookAfter();
const disabled = webhookAfter(webhookDisabled('manual', 0));
const enabledAgain = webhookAfter(webhookDisabled('manual', 0), webhookEnabled());

type Around = Pick<DeliverDependencies, 'webhooks' | 'admission'> &
  Partial<Pick<DeliverDependencies, 'replays'> & Pick<DeliveryJob, 'attemptsMade'>> &
  Pick<OutcomeLog, 'record'> &
  Partial<Pick<DeliverDependencies, 'now' | 'executeAttempt'> & Pick<JobOrigin, 'content'>>;

const sent = {
  ...{ id: testIdentifier('evt'), type: 'a.b', created: start, data: Buffer.from('{}') },
  tenantId: null,
};

/** Runs a delivery job that was scheduled in this epoch. */
async function deliver(
  { record, attemptsMade = 0, ...own }: Around,
  epoch: number,
  signal: AbortSignal = never,
): Promise<void> {
  const deliver = createDeliver({
    executeAttempt: () => Promise.resolve({ facts: [succeeded()], nextAttemptAt: null }),
    pausableAttempts: createPausableAttempts(),
    park: () => Promise.reject(new Error('no webhook is busy here')),
    endedLives: { contain: () => Promise.resolve(false) },
    backlogs: { isKnown: () => false, isLong: () => Promise.resolve(false) },
    now: () => 0,
    replays: { replayOf: () => Promise.resolve({ readAt: Infinity, status: 'completed' }) },
    ...own,
    inFlight: createInFlightRegistry(10),
    backpressure: createOutcomeBackpressure(),
    log: { record, schedule: () => Promise.reject(new Error('nothing is scheduled here')) },
    logger: { warn: () => undefined },
  });
  const job = {
    eventId: testIdentifier('evt'),
    accountId: testIdentifier('acct'),
    mode: 'live',
    webhookId: testIdentifier('wh'),
    cycle: 1,
    number: 1,
    attemptsMade,
    trigger: 'replay',
    replayId: testIdentifier('rpl'),
    epoch,
    positions: { event: { partition: 0, offset: null }, outcome: null },
  } as const;
  const { content = () => Promise.resolve(sent) } = own;
  await deliver(job, { isFirst: true, isOverShare: false, content }, signal);
}

const atOnce: DeliverDependencies['admission'] = {
  admit: () => Promise.resolve({ release: () => undefined }),
};

/** The appended types of a job that was scheduled in this epoch, if these are the successive reads of its webhook. */
async function delivered(epoch: number, ...reads: readonly (Webhook | null)[]) {
  const written: string[] = [];
  const notBefore: number[] = [];
  const around: Around = {
    admission: atOnce,
    webhooks: {
      webhookOf: (_webhook, { notBefore: readAt }) => {
        const webhook = reads[notBefore.length] ?? undefined;
        notBefore.push(readAt);
        return Promise.resolve({ readAt, webhook });
      },
    },
    record: (_job, facts) => {
      written.push(...facts.map(({ type }) => type));
      return Promise.resolve({ partition: 0, offset: 0 });
    },
  };
  await deliver(around, epoch);
  return { written, reads: notBefore.length };
}

/** The order of the return of the slot and of the append of the outcome, which takes the log a moment. */
async function orderOfReturn(): Promise<readonly string[]> {
  const seen: string[] = [];
  const around: Around = {
    admission: {
      admit: () => Promise.resolve({ release: () => void seen.push('the slot is returned') }),
    },
    webhooks: { webhookOf: () => Promise.resolve({ readAt: 0, webhook: active }) },
    record: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push('the log has the outcome');
      return { partition: 0, offset: 0 };
    },
  };
  await deliver(around, 0);
  return seen;
}

const attempted = ['postrider.delivery.attempted'];
const canceled = ['postrider.delivery.canceled'];

describe('deliver', () => {
  it('attempts at once if the webhook is active', async () => {
    expect(await delivered(0, active)).to.deep.equal({ written: attempted, reads: 1 });
  });

  it('attempts if the webhook was created a moment ago', async () => {
    expect(await delivered(0, null, active)).to.deep.equal({ written: attempted, reads: 2 });
  });

  it('attempts if the webhook was enabled a moment ago', async () => {
    expect(await delivered(1, disabled, enabledAgain)).to.deep.equal({ written: attempted, reads: 2 });
  });

  it('keeps its slot until the log has its outcome', async () => {
    expect(await orderOfReturn()).to.deep.equal(['the log has the outcome', 'the slot is returned']);
  });

  for (const [what, epoch, webhook] of [
    ['deleted', 0, null],
    ['disabled', 0, disabled],
    ['disabled since it was scheduled', 0, enabledAgain],
  ] as const) {
    it(`cancels if the webhook is ${what}`, async () => {
      expect(await delivered(epoch, webhook, webhook)).to.deep.equal({ written: canceled, reads: 2 });
    });
  }

  it('cancels a delivery whose webhook is deleted while the content of the event is read', async () => {
    const clock = { ms: 0 };
    const written: string[] = [];
    await deliver(
      {
        admission: atOnce,
        now: () => clock.ms,
        content: () => {
          clock.ms += 1_000;
          return Promise.resolve(sent);
        },
        webhooks: {
          webhookOf: (_webhook, { notBefore }) =>
            Promise.resolve({ readAt: clock.ms, webhook: notBefore < 0 ? active : undefined }),
        },
        record: (_job, facts) => {
          written.push(...facts.map(({ type }) => type));
          return Promise.resolve({ partition: 0, offset: 0 });
        },
      },
      0,
    );
    expect(written).to.deep.equal(canceled);
  });

  it('waits without a slot while the webhook cannot be read, and attempts once it can', async () => {
    let reads = 0;
    const { around, slots, written } = slotsTaken();
    await deliver(
      {
        ...around,
        webhooks: {
          webhookOf: () => {
            reads += 1;
            return reads === 1
              ? Promise.reject(new UnavailableError('the database is unavailable'))
              : Promise.resolve({ readAt: 0, webhook: active });
          },
        },
      },
      0,
    );
    expect({ slots, written }).to.deep.equal({ slots: ['taken', 'returned'], written: attempted });
  });

  it('returns its slot if the content of the event cannot be read, and attempts once it can', async () => {
    let reads = 0;
    const { around, slots, written } = slotsTaken();
    await deliver(
      {
        ...around,
        content: () => {
          reads += 1;
          return reads === 1
            ? Promise.reject(new UnavailableError('the database is unavailable'))
            : Promise.resolve(sent);
        },
      },
      0,
    );
    expect({ slots, written }).to.deep.equal({
      slots: ['taken', 'returned', 'taken', 'returned'],
      written: attempted,
    });
  });

  it('cancels without a slot if the webhook was deleted', async () => {
    const { around, slots, written } = slotsTaken();
    await deliver(
      { ...around, webhooks: { webhookOf: () => Promise.resolve({ readAt: 0, webhook: undefined }) } },
      0,
    );
    expect({ slots, written }).to.deep.equal({ slots: [], written: canceled });
  });
});

/** A delivery to an active webhook, with a journal of its slot and of the records that it writes. */
function slotsTaken() {
  const slots: string[] = [];
  const written: string[] = [];
  const around: Around = {
    admission: {
      admit: () => {
        slots.push('taken');
        return Promise.resolve({ release: () => void slots.push('returned') });
      },
    },
    webhooks: { webhookOf: () => Promise.resolve({ readAt: 0, webhook: active }) },
    record: (_job, facts) => {
      written.push(...facts.map(({ type }) => type));
      return Promise.resolve({ partition: 0, offset: 0 });
    },
  };
  return { around, slots, written };
}

/** The URLs of the requests and the records of a delivery whose token takes a second, if this is the webhook after it. */
async function deliveredAfterToken(webhook: Webhook | undefined, isLost = false) {
  const clock = { ms: 0 };
  const partition = new AbortController();
  const urls: string[] = [];
  const { around, written } = slotsTaken();
  const own: Around = {
    ...around,
    now: () => clock.ms,
    webhooks: {
      webhookOf: () =>
        Promise.resolve({ readAt: clock.ms, webhook: clock.ms === 0 ? { ...active } : webhook }),
    },
    executeAttempt: async (_job, { url }, _content, confirm) => {
      clock.ms += clock.ms === 0 ? 1_000 : 0;
      if (isLost) {
        partition.abort();
      }
      await confirm();
      urls.push(url);
      return { facts: [succeeded()], nextAttemptAt: null };
    },
  };
  await deliver(own, 0, partition.signal);
  return { urls, written };
}

describe('deliver, after the wait for a token', () => {
  it('sends the request if the webhook has not changed', async () => {
    expect(await deliveredAfterToken(active)).to.deep.equal({ urls: [active.url], written: attempted });
  });

  for (const [what, webhook] of [
    ['disabled', disabled],
    ['deleted', undefined],
  ] as const) {
    it(`sends no request if the webhook was ${what}, and cancels`, async () => {
      expect(await deliveredAfterToken(webhook)).to.deep.equal({ urls: [], written: canceled });
    });
  }

  it('sends the request to the new URL if it was changed', async () => {
    const url = 'https://new.example.com/';

    expect(await deliveredAfterToken({ ...active, url })).to.deep.equal({ urls: [url], written: attempted });
  });

  it('sends no request if the partition was lost', async () => {
    expect(await deliveredAfterToken(active, true)).to.deep.equal({ urls: [], written: [] });
  });
});

/** The error codes and types that a first attempt of a replay writes, if these are the states of its webhook and replay. */
async function deliveredFor(
  webhook: Webhook | undefined,
  statuses: readonly Replay['status'][],
  own: Partial<Around> = {},
) {
  const written: string[] = [];
  let reads = 0;
  await deliver(
    {
      admission: atOnce,
      webhooks: { webhookOf: () => Promise.resolve({ readAt: Infinity, webhook }) },
      replays: {
        replayOf: (_id, { notBefore }) => {
          const status = statuses[Math.min(reads, statuses.length - 1)];
          reads += 1;
          return Promise.resolve({ readAt: notBefore, status });
        },
      },
      record: (_job, facts) => {
        written.push(
          ...facts.map(({ type, value }) =>
            type === 'postrider.delivery.canceled' ? value.error.code : type,
          ),
        );
        return Promise.resolve({ partition: 0, offset: 0 });
      },
      ...own,
    },
    0,
  );
  return written;
}

describe('deliver, for the first attempt of a replay', () => {
  it('cancels if the replay was canceled', async () => {
    expect(await deliveredFor(active, ['canceled'])).to.deep.equal(['replay_canceled']);
  });

  for (const status of ['running', 'completed'] as const) {
    it(`attempts if the replay is ${status}`, async () => {
      expect(await deliveredFor(active, [status])).to.deep.equal(attempted);
    });
  }

  it('cancels if the replay was canceled while the job waited for its slot', async () => {
    const clock = { ms: 0 };
    const written = await deliveredFor(active, ['running', 'canceled'], {
      now: () => clock.ms,
      admission: {
        admit: (...request) => {
          clock.ms += 1000;
          return atOnce.admit(...request);
        },
      },
    });

    expect(written).to.deep.equal(['replay_canceled']);
  });

  for (const [ended, webhook, code] of [
    ['disabled', disabled, 'webhook_disabled'],
    ['deleted', undefined, 'webhook_deleted'],
  ] as const) {
    it(`cancels as its replay, which ends too, if the webhook was ${ended}`, async () => {
      expect(await deliveredFor(webhook, ['running'])).to.deep.equal(['replay_canceled']);
    });

    it(`cancels because the webhook was ${ended} if the replay is completed`, async () => {
      expect(await deliveredFor(webhook, ['completed'])).to.deep.equal([code]);
    });
  }

  it('attempts a retry, although the replay was canceled', async () => {
    expect(await deliveredFor(active, ['canceled'], { attemptsMade: 1 })).to.deep.equal(attempted);
  });
});
