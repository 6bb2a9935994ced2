import { expect } from 'chai';
import fc from 'fast-check';

import {
  evolveWebhook,
  type Webhook,
  type WebhookFact,
  type WebhookState,
} from '../../../../shared/domain/webhooks/webhook.js';
import {
  decideWebhookUpdate,
  type WebhookUpdate,
} from '../../../../shared/domain/webhooks/webhookDecisions.js';
import { contextOf, testActor, type InContext } from '../../../support/facts.js';
import {
  testWebhookId,
  webhookCreated,
  webhookDisabled,
  webhookEnabled,
} from '../../../support/webhookFacts.js';

const actor = testActor;
const url = 'https://example.com/hook';
const events = ['order.completed', 'user.signup'];

function folded(webhook: Webhook | null, facts: readonly InContext<WebhookFact>[]): Webhook {
  const state = facts.reduce<WebhookState>(evolveWebhook, webhook);
  if (state === null || state.status === 'deleted') {
    throw new Error('these facts leave no webhook');
  }
  return state;
}

function webhookAfter(...facts: readonly InContext<WebhookFact>[]): Webhook {
  return folded(null, [webhookCreated({ url, events }), ...facts]);
}

function applied(webhook: Webhook, facts: readonly WebhookFact[]): Webhook {
  return folded(
    webhook,
    facts.map((fact) => ({ ...fact, context: contextOf(testWebhookId) })),
  );
}

const active = webhookAfter();
const disabled = webhookAfter(webhookDisabled('gone', 0));

describe('decideWebhookUpdate', () => {
  const unchanged: readonly [what: string, webhook: Webhook, update: WebhookUpdate][] = [
    ['the update is empty', active, {}],
    [
      'every field of the update has its current value',
      active,
      { url, events: [...events], description: null, status: 'active' },
    ],
    ['a disabled webhook is to be disabled', disabled, { status: 'disabled' }],
  ];
  for (const [what, webhook, update] of unchanged) {
    it(`returns no fact if ${what}`, () => {
      expect(decideWebhookUpdate(webhook, update, actor)).to.deep.equal([]);
    });
  }

  it('names each changed field, with its value before and after', () => {
    const update = { url: 'https://example.com/other', events: ['*'], description: 'Orders' };

    expect(decideWebhookUpdate(active, update, actor)).to.deep.equal([
      {
        type: 'postrider.webhook.updated',
        value: {
          changes: {
            url: { from: url, to: update.url },
            events: { from: events, to: ['*'] },
            description: { from: null, to: 'Orders' },
          },
          actor,
        },
      },
    ]);
  });

  it('names no unchanged field', () => {
    const [fact] = decideWebhookUpdate(active, { url, events, description: 'Orders' }, actor);

    expect(fact?.value).to.deep.include({ changes: { description: { from: null, to: 'Orders' } } });
  });

  for (const other of [['user.signup', 'order.completed'], ['order.completed']]) {
    it(`treats ${other.join(', ')} as another list of events`, () => {
      const [fact] = decideWebhookUpdate(active, { events: other }, actor);

      expect(fact?.value).to.deep.include({ changes: { events: { from: events, to: other } } });
    });
  }

  it('disables a webhook in its current epoch', () => {
    const enabledAgain = webhookAfter(webhookDisabled('gone', 0), webhookEnabled());

    expect(decideWebhookUpdate(enabledAgain, { status: 'disabled' }, actor)).to.deep.equal([
      { type: 'postrider.webhook.disabled', value: { reason: 'manual', epoch: 1, actor } },
    ]);
  });

  it('enables a disabled webhook', () => {
    expect(decideWebhookUpdate(disabled, { status: 'active' }, actor)).to.deep.equal([
      { type: 'postrider.webhook.enabled', value: { actor } },
    ]);
  });

  it('treats a list that shares only some event types with the current one as another list', () => {
    const both = applied(active, decideWebhookUpdate(active, { events: ['a', 'b'] }, actor));

    expect(decideWebhookUpdate(both, { events: ['a', 'c'] }, actor)).to.deep.equal([
      {
        type: 'postrider.webhook.updated',
        value: { changes: { events: { from: ['a', 'b'], to: ['a', 'c'] } }, actor },
      },
    ]);
  });

  it('results in the requested webhook, with nothing left to change', () => {
    const anyUpdate: fc.Arbitrary<WebhookUpdate> = fc.record(
      {
        url: fc.constantFrom(url, 'https://example.com/other'),
        events: fc.constantFrom(events, ['*'], ['a']),
        description: fc.constantFrom(null, '', 'Orders'),
        status: fc.constantFrom('active', 'disabled'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.constantFrom(active, disabled), anyUpdate, (webhook, update) => {
        const after = applied(webhook, decideWebhookUpdate(webhook, update, actor));

        expect([{ ...after, ...update }, decideWebhookUpdate(after, update, actor)]).to.deep.equal([
          after,
          [],
        ]);
      }),
    );
  });
});
