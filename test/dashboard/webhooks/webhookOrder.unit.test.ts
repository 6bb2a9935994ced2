import { expect } from 'chai';

import type { Webhook } from '../../../dashboard/api/types.js';
import { arrangedWebhooks, orderOf, type WebhookOrder } from '../../../dashboard/webhooks/webhookOrder.js';
import { healthOf } from '../support/health.js';
import { mutedUntil } from '../../../dashboard/webhooks/webhookText.js';

function webhookOf(id: string, changed: Partial<Webhook> = {}): Webhook {
  return {
    id,
    tenantId: null,
    url: `https://${id}.example/`,
    events: ['*'],
    status: 'active',
    created: `2026-11-2${id.length}T00:00:00.000Z`,
    description: null,
    name: null,
    mutedUntil: null,
    secretInfo: { last4: null, created: '2026-11-20T00:00:00.000Z', previousExpiresAt: null },
    disabledReason: null,
    mode: 'live',
    filter: null,
    signatureHeaderPrefix: null,
    format: null,
    timeoutSeconds: null,
    metadata: null,
    headers: null,
    auth: null,
    ...changed,
  };
}

const webhooks = [
  webhookOf('b'),
  webhookOf('aa', { name: 'Zebra', health: healthOf({ failed: 3 }) }),
  webhookOf('ccc', { disabledReason: 'gone', description: 'Team Checkout' }),
];

function idsOf(search: string, order: WebhookOrder): readonly string[] {
  return arrangedWebhooks(webhooks, search, order).map(({ id }) => id);
}

describe('the list of webhooks in the dashboard', () => {
  it('begins with the disabled webhook and the webhooks with undelivered events', () => {
    expect(idsOf('', orderOf('unknown'))).to.deep.equal(['ccc', 'aa', 'b']);
  });

  it('can be sorted by name and by age', () => {
    expect(idsOf('', 'name')).to.deep.equal(['b', 'ccc', 'aa']);
    expect(idsOf('', 'newest')).to.deep.equal(['ccc', 'aa', 'b']);
  });

  it('finds a text in the name, the URL and the description', () => {
    expect(['zEBra', 'b.example', ' checkout '].map((text) => idsOf(text, 'name'))).to.deep.equal([
      ['aa'],
      ['b'],
      ['ccc'],
    ]);
  });
});

describe('a muted webhook', () => {
  it('is muted until its time', () => {
    const until = '2026-11-21T12:00:00.000Z';
    expect(mutedUntil({ mutedUntil: until }, new Date('2026-11-21T11:59:59Z'))).to.equal(until);
    expect(mutedUntil({ mutedUntil: until }, new Date(until))).to.equal(null);
    expect(mutedUntil({ mutedUntil: null }, new Date(until))).to.equal(null);
  });
});
