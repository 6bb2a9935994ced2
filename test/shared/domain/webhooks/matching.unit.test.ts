import { expect } from 'chai';
import fc from 'fast-check';

import { everyTenant } from '../../../../shared/domain/tenants/tenantId.js';
import { matchesEvent, previewMismatch, subscribesTo } from '../../../../shared/domain/webhooks/matching.js';
import {
  evolveWebhook,
  type Webhook,
  type WebhookFact,
  type WebhookState,
} from '../../../../shared/domain/webhooks/webhook.js';
import { testIdentifier, type InContext } from '../../../support/facts.js';
import {
  testWebhookId,
  webhookCreated,
  webhookDisabled,
  webhookUpdated,
} from '../../../support/webhookFacts.js';

describe('subscribesTo', () => {
  const cases = [
    { events: ['order.completed'], type: 'order.completed', expected: true },
    { events: ['user.signup', 'order.completed'], type: 'order.completed', expected: true },
    { events: ['*'], type: 'order.completed', expected: true },
    { events: ['order.completed'], type: 'order.canceled', expected: false },
    { events: ['order'], type: 'order.completed', expected: false },
    { events: ['order.completed'], type: 'order', expected: false },
    { events: ['order.*'], type: 'order.completed', expected: true },
    { events: ['order.*'], type: 'order.item.added', expected: true },
    { events: ['order.*'], type: 'order', expected: false },
    { events: ['order.*'], type: 'orders.completed', expected: false },
    { events: ['user.signup', 'order.*'], type: 'order.completed', expected: true },
    { events: ['ORDER.completed'], type: 'order.completed', expected: false },
  ];
  for (const { events, type, expected } of cases) {
    it(`is ${String(expected)} for ${type} with a subscription to ${events.join(' and ')}`, () => {
      expect(subscribesTo({ events }, type)).to.equal(expected);
    });
  }
});

describe('matchesEvent', () => {
  const completed = { type: 'order.completed', onlyWebhookId: null, tenantId: null };
  const there = { partition: 1, offset: 20 };

  function webhook(...facts: readonly InContext<WebhookFact>[]): Webhook {
    const after = [webhookCreated(), ...facts].reduce<WebhookState>(evolveWebhook, null);
    if (after === null || after.status === 'deleted') {
      throw new Error('these facts leave no webhook');
    }
    return after;
  }

  it('selects an active webhook for an event of a type that it subscribes to', () => {
    expect(matchesEvent(webhook(), completed, there)).to.equal(true);
  });

  it('ignores events of other types', () => {
    expect(matchesEvent(webhook(), { ...completed, type: 'user.signup' }, there)).to.equal(false);
  });

  it('ignores a disabled webhook', () => {
    expect(matchesEvent(webhook(webhookDisabled('manual', 0)), completed, there)).to.equal(false);
  });

  const positions = [
    { partition: 0, offset: 9, expected: false },
    { partition: 0, offset: 10, expected: true },
    { partition: 1, offset: 19, expected: false },
    { partition: 1, offset: 20, expected: true },
    { partition: 2, offset: 29, expected: false },
    { partition: 2, offset: 2 ** 40, expected: true },
    { partition: 3, offset: 0, expected: true },
  ];
  for (const { partition, offset, expected } of positions) {
    it(`${expected ? 'selects' : 'ignores'} the event at ${partition}/${offset} for a webhook from 10, 20, 30`, () => {
      expect(matchesEvent(webhook(), completed, { partition, offset })).to.equal(expected);
    });
  }

  it('selects the webhook of a test delivery, whatever its subscription', () => {
    const event = { type: 'webhook.test', onlyWebhookId: testWebhookId, tenantId: null };

    expect(matchesEvent(webhook(), event, there)).to.equal(true);
  });

  it('ignores other webhooks for a test delivery, even if they subscribe to the type', () => {
    const event = { ...completed, onlyWebhookId: testIdentifier('wh', 2) };

    expect(matchesEvent(webhook(), event, there)).to.equal(false);
  });

  it('ignores other webhooks for a test delivery, even if they subscribe to all types', () => {
    const event = { ...completed, onlyWebhookId: testIdentifier('wh', 2) };
    const forAll = webhook(webhookUpdated({ events: { from: ['order.completed'], to: ['*'] } }));

    expect(matchesEvent(forAll, event, there)).to.equal(false);
  });

  it('ignores a disabled webhook even for its test delivery', () => {
    const event = { type: 'webhook.test', onlyWebhookId: testWebhookId, tenantId: null };

    expect(matchesEvent(webhook(webhookDisabled('manual', 0)), event, there)).to.equal(false);
  });

  /** The events of no tenant and of two tenants, with the webhooks that get them. */
  const owners: readonly (readonly [event: string | null, webhooks: readonly (string | null)[]])[] = [
    [null, [null, everyTenant]],
    ['customer-1', ['customer-1', everyTenant]],
    ['customer-2', ['customer-2', everyTenant]],
  ];
  const tenantIds = [null, 'customer-1', 'customer-2', everyTenant];
  for (const [tenantId, expected] of owners) {
    it(`selects for an event of the tenant ${String(tenantId)} the webhooks of ${expected.join(' and ')}`, () => {
      const selected = tenantIds.filter((owner) =>
        matchesEvent({ ...webhook(), tenantId: owner }, { ...completed, tenantId }, there),
      );
      expect(selected).to.deep.equal(expected);
    });
  }

  it('ignores the test delivery of a webhook if the event has another tenant', () => {
    const event = { type: 'webhook.test', onlyWebhookId: testWebhookId, tenantId: 'customer-1' };
    expect(matchesEvent(webhook(), event, there)).to.equal(false);
  });
});

describe('previewMismatch', () => {
  const webhook = {
    ...(evolveWebhook(null, webhookCreated()) as Webhook),
    ...{ events: ['order.*'], tenantId: 'customer-1', mode: 'live' as const, eventsFrom: [] },
  };
  const event = { type: 'order.completed', onlyWebhookId: null, tenantId: 'customer-1' };
  const testOf = (onlyWebhookId: string) => ({ ...event, type: 'webhook.test', onlyWebhookId });
  const disabled = { ...webhook, status: 'disabled' as const };

  it('names what keeps the webhook from the event', () => {
    expect([
      previewMismatch(webhook, event),
      previewMismatch(webhook, testOf(webhook.id)),
      previewMismatch(webhook, testOf(testIdentifier('wh', 2))),
      previewMismatch(webhook, { ...event, tenantId: null }),
      previewMismatch(disabled, { ...event, type: 'order' }),
      previewMismatch(disabled, event),
      previewMismatch({ ...webhook, mode: 'test' }, event),
    ]).to.deep.equal([null, null, 'test_delivery', 'tenant', 'type', 'webhook_disabled', 'test_mode']);
  });

  it('names something exactly if the webhook does not get the event', () => {
    const choice = fc.record({
      type: fc.constantFrom('order.completed', 'order', 'user.signup'),
      tenantId: fc.constantFrom(null, 'customer-1', 'customer-2'),
      onlyWebhookId: fc.constantFrom(null, webhook.id, testIdentifier('wh', 2)),
    });
    const owner = fc.constantFrom(null, 'customer-1', everyTenant);
    const status = fc.constantFrom('active' as const, 'disabled' as const);
    fc.assert(
      fc.property(choice, owner, status, (any, tenantId, is) => {
        const one = { ...webhook, tenantId, status: is };
        const position = { partition: 0, offset: 0 };
        expect(previewMismatch(one, any) === null).to.equal(matchesEvent(one, any, position));
      }),
    );
  });
});
