import { expect } from 'chai';

import { evolveReplay, type Replay } from '../../../../shared/domain/replays/replay.js';
import {
  decideReplay,
  decideReplayCancelation,
  endedBy,
  handOver,
} from '../../../../shared/domain/replays/replayDecisions.js';
import { evolveWebhook, type Webhook } from '../../../../shared/domain/webhooks/webhook.js';
import { secondsLater, start, testActor, testIdentifier } from '../../../support/facts.js';
import { replayCanceled, replayCompleted, replayRequested } from '../../../support/replayFacts.js';
import { webhookCreated, webhookDisabled } from '../../../support/webhookFacts.js';

const filter = { since: start, until: secondsLater(60), types: ['order.completed'], only: 'all' } as const;
const command = { filter, eventsBelow: [5], actor: testActor };

function webhookAfter(...facts: Parameters<typeof evolveWebhook>[1][]): Webhook {
  const state = facts.reduce<ReturnType<typeof evolveWebhook>>(evolveWebhook, null);
  if (state === null || state.status === 'deleted') {
    throw new Error('there is no webhook');
  }
  return state;
}

function replayAfter(...facts: Parameters<typeof evolveReplay>[1][]): Replay {
  const replay = [replayRequested(), ...facts].reduce<Replay | null>(evolveReplay, null);
  if (replay === null) {
    throw new Error('there is no replay');
  }
  return replay;
}

describe('a replay', () => {
  it('starts with the subscription and the epoch of its webhook', () => {
    expect(decideReplay({ ...command, webhook: webhookAfter(webhookCreated()) })).to.deep.equal({
      type: 'postrider.replay.requested',
      value: {
        ...command,
        webhookId: testIdentifier('wh'),
        subscription: ['order.completed'],
        epoch: 0,
      },
    });
  });

  it('does not start if the webhook is disabled', () => {
    const webhook = webhookAfter(webhookCreated(), webhookDisabled('manual', 0));

    expect(decideReplay({ ...command, webhook })).to.equal(null);
  });

  it('is canceled while it runs', () => {
    expect(decideReplayCancelation(replayAfter(), 'requested', testActor)).to.deep.equal({
      type: 'postrider.replay.canceled',
      value: { reason: 'requested', actor: testActor },
    });
  });

  for (const [how, end] of [
    ['completed', replayCompleted(1)],
    ['canceled', replayCanceled()],
  ] as const) {
    it(`cannot be canceled once it is ${how}`, () => {
      expect(decideReplayCancelation(replayAfter(end), 'requested', testActor)).to.equal(null);
    });
  }

  for (const [what, webhook, reason] of [
    ['continues while its webhook is active', { status: 'active', epoch: 0 }, null],
    ['ends if its webhook is deleted', undefined, 'webhook_deleted'],
    ['ends if its webhook is disabled', { status: 'disabled', epoch: 1 }, 'webhook_disabled'],
    [
      'ends if its webhook is disabled in the same epoch',
      { status: 'disabled', epoch: 0 },
      'webhook_disabled',
    ],
    [
      'ends if its webhook was disabled since its start, even if it is active again',
      { status: 'active', epoch: 1 },
      'webhook_disabled',
    ],
  ] as const) {
    it(what, () => {
      expect(endedBy(webhook, replayAfter())).to.equal(reason);
    });
  }

  it('requests the cycle after the latest one', () => {
    const { type, value } = handOver(replayAfter(), 3);

    expect({ type, ...value }).to.deep.include({
      type: 'postrider.delivery.requested',
      cycle: 4,
      trigger: 'replay',
    });
  });

  it('requests cycle 1 for a new delivery, because cycle 0 is the event’s own', () => {
    expect(handOver(replayAfter(), null).value.cycle).to.equal(1);
  });
});
