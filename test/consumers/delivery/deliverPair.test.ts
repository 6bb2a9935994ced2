import { expect } from 'chai';

import { createDeliverPair, type PairDependencies } from '../../../consumers/delivery/deliverPair.js';
import { createInHand } from '../../../consumers/delivery/inHand.js';
import type { PairLog } from '../../../consumers/delivery/pairLog.js';
import { evolveWebhook, type Webhook, type WebhookState } from '../../../shared/domain/webhook.js';
import { start, testIdentifier } from '../../support/facts.js';
import { succeeded } from '../../support/deliveryFacts.js';
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

type Around = Pick<PairDependencies, 'webhooks' | 'turns'> & Pick<PairLog, 'record'>;

/** Delivers a pair that was planned in this epoch. */
async function deliver({ record, ...own }: Around, epoch: number): Promise<void> {
  const deliverPair = createDeliverPair({
    ...own,
    attemptPair: () => Promise.resolve({ facts: [succeeded()], nextAttemptAt: null }),
    inHand: createInHand(10),
    log: { record, plan: () => Promise.reject(new Error('nothing is planned here')) },
    logger: { warn: () => undefined },
  });
  const pair = {
    eventId: testIdentifier('evt'),
    accountId: testIdentifier('acct'),
    mode: 'live',
    webhookId: testIdentifier('wh'),
    cycle: 1,
    number: 1,
    attemptsMade: 0,
    trigger: 'replay',
    replayId: testIdentifier('rpl'),
    epoch,
    positions: { event: null, outcome: null },
  } as const;
  const content = () =>
    Promise.resolve({ id: pair.eventId, type: 'a.b', created: start, data: Buffer.from('{}') });
  await deliverPair(pair, { isFirst: true, isCrowded: false, content }, never);
}

const atOnce: PairDependencies['turns'] = {
  run: async (_owner, _approach, _signal, attempt) => ({ kind: 'ran', result: await attempt() }),
};

/** What is written of a pair, planned in this epoch, whose webhook is read so, one read after the other. */
async function delivered(epoch: number, ...reads: readonly (Webhook | null)[]) {
  const written: string[] = [];
  const notBefore: number[] = [];
  const around: Around = {
    turns: atOnce,
    webhooks: {
      webhooksOf: (_accountId, _mode, { notBefore: readAt }) => {
        const webhook = reads[notBefore.length] ?? null;
        notBefore.push(readAt);
        return Promise.resolve({ readAt, webhooks: webhook === null ? [] : [webhook] });
      },
    },
    record: (_pair, facts) => {
      written.push(...facts.map(({ type }) => type));
      return Promise.resolve({ partition: 0, offset: 0 });
    },
  };
  await deliver(around, epoch);
  return { written, reads: notBefore.length };
}

/** What is seen of a delivery's turn and of its outcome, which takes the log a moment. */
async function seenInTurn(): Promise<readonly string[]> {
  const seen: string[] = [];
  const around: Around = {
    turns: {
      run: async (...turn) => {
        const ran = await atOnce.run(...turn);
        seen.push('the turn is over');
        return ran;
      },
    },
    webhooks: { webhooksOf: () => Promise.resolve({ readAt: 0, webhooks: [active] }) },
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

describe('deliverPair', () => {
  it('attempts at once where the webhook is active', async () => {
    expect(await delivered(0, active)).to.deep.equal({ written: attempted, reads: 1 });
  });

  it('attempts where the webhook was created a moment ago', async () => {
    expect(await delivered(0, null, active)).to.deep.equal({ written: attempted, reads: 2 });
  });

  it('attempts where the webhook was enabled a moment ago', async () => {
    expect(await delivered(1, disabled, enabledAgain)).to.deep.equal({ written: attempted, reads: 2 });
  });

  it('has its turn until the log has its outcome', async () => {
    expect(await seenInTurn()).to.deep.equal(['the log has the outcome', 'the turn is over']);
  });

  for (const [what, epoch, webhook] of [
    ['deleted', 0, null],
    ['disabled', 0, disabled],
    ['disabled since it was planned', 0, enabledAgain],
  ] as const) {
    it(`cancels where the webhook is ${what}`, async () => {
      expect(await delivered(epoch, webhook, webhook)).to.deep.equal({ written: canceled, reads: 2 });
    });
  }
});
