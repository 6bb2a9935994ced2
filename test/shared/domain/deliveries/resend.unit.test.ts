import { expect } from 'chai';

import type { Delivery } from '../../../../shared/domain/deliveries/delivery.js';
import { evolveDelivery } from '../../../../shared/domain/deliveries/evolveDelivery.js';
import { decideResend, type ResendState } from '../../../../shared/domain/deliveries/resend.js';
import { evolveWebhook, type Webhook, type WebhookFact } from '../../../../shared/domain/webhooks/webhook.js';
import { failedForGood, requested, succeeded, testEventId } from '../../../support/deliveryFacts.js';
import { contextOf, testActor, testIdentifier, type InContext } from '../../../support/facts.js';
import { webhookCreated, webhookDisabled, webhookEnabled } from '../../../support/webhookFacts.js';

const [first, second] = [testIdentifier('wh', 1), testIdentifier('wh', 2)];

function deliveryTo(webhookId: string, fact = succeeded): Delivery {
  return evolveDelivery(null, fact({ webhookId }));
}

function webhookAfter(id: string, ...facts: readonly InContext<WebhookFact>[]): Webhook {
  const state = [webhookCreated(), ...facts].reduce(
    (webhook: ReturnType<typeof evolveWebhook>, fact) =>
      evolveWebhook(webhook, { ...fact, context: contextOf(id) }),
    null,
  );
  if (state === null || state.status === 'deleted') {
    throw new Error('there is no webhook');
  }
  return state;
}

const disabled = webhookDisabled('manual', 0);
const both = [deliveryTo(first), deliveryTo(second, failedForGood)];

/** The requested cycles, by webhook, or the reason why there are none. */
function decided(webhookId: string | null, deliveries: readonly Delivery[], ...webhooks: readonly Webhook[]) {
  return decidedOf(webhookId, { deliveries, deliveriesComplete: true, webhooks });
}

function decidedOf(webhookId: string | null, state: ResendState) {
  const decision = decideResend({ webhookId, actor: testActor }, state);
  return 'refused' in decision
    ? decision.refused
    : decision.facts.map(({ value }) => [value.webhookId, value.cycle, value.epoch]);
}

describe('decideResend', () => {
  it('requests the next cycle of every delivery whose webhook is active', () => {
    expect(decided(null, both, webhookAfter(first), webhookAfter(second, disabled))).to.deep.equal([
      [first, 1, 0],
    ]);
  });

  it('requests the next cycle of a single delivery', () => {
    expect(decided(second, both, webhookAfter(first), webhookAfter(second))).to.deep.equal([[second, 1, 0]]);
  });

  it('continues the numbers of cycles', () => {
    const delivery = evolveDelivery(deliveryTo(first), requested(4));

    expect(decided(null, [delivery], webhookAfter(first))).to.deep.equal([[first, 5, 0]]);
  });

  it('contains the webhook’s epoch, so that an earlier disabling does not cancel it', () => {
    const enabledAgain = webhookAfter(first, disabled, webhookEnabled());

    expect(decided(first, both, enabledAgain)).to.deep.equal([[first, 1, 1]]);
  });

  it('contains its actor, and its trigger', () => {
    const decision = decideResend(
      { webhookId: null, actor: testActor },
      { deliveries: both, deliveriesComplete: true, webhooks: [webhookAfter(first)] },
    );

    expect('facts' in decision && decision.facts[0]?.value).to.include({
      trigger: 'resend',
      actor: testActor,
      replayId: null,
    });
  });

  for (const [what, webhookId, deliveries, webhooks, refusal] of [
    [
      'a webhook that the event has no delivery to',
      second,
      [deliveryTo(first)],
      [webhookAfter(second)],
      'missing',
    ],
    ['a webhook that was deleted', first, both, [webhookAfter(second)], 'deleted'],
    ['a webhook that is disabled', first, both, [webhookAfter(first, disabled)], 'inactive'],
    ['none that is active', null, both, [webhookAfter(first, disabled)], 'inactive'],
    ['an event without deliveries', null, [], [webhookAfter(first)], 'none'],
  ] as const) {
    it(`rejects ${what}`, () => {
      expect(decided(webhookId, deliveries, ...webhooks)).to.equal(refusal);
    });
  }

  describe('while the deliveries of the event are not known', () => {
    const webhooks = [webhookAfter(first), webhookAfter(second)];
    const [known] = both;

    for (const [what, webhookId, deliveries, expected] of [
      ['requests a delivery that is known', first, [known], [[first, 1, 0]]],
      ['does not say that an event has no delivery to a webhook', second, [known], 'unknown'],
      ['does not say that an event has no delivery', null, [], 'unknown'],
      ['requests no part of all deliveries', null, [known], 'unknown'],
    ] as const) {
      it(what, () => {
        const state = {
          deliveries: deliveries.flatMap((one) => one ?? []),
          deliveriesComplete: false,
          webhooks,
        };
        expect(decidedOf(webhookId, state)).to.deep.equal(expected);
      });
    }
  });

  it('makes the deliveries pending', () => {
    const decision = decideResend(
      { webhookId: null, actor: testActor },
      { deliveries: both, deliveriesComplete: true, webhooks: [webhookAfter(first)] },
    );
    const [fact] = 'facts' in decision ? decision.facts : [];
    const after = fact && evolveDelivery(both[0] ?? null, { ...fact, context: contextOf(testEventId) });

    expect(after).to.include({ status: 'pending', attemptCount: 1, statusCode: null });
  });
});
