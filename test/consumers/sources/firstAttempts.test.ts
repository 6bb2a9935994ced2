import { expect } from 'chai';

import type { Deliver } from '../../../consumers/engine/deliver.js';
import { createHandleEvent } from '../../../consumers/sources/firstAttempts.js';
import { evolveWebhook, type Webhook, type WebhookState } from '../../../shared/domain/webhooks/webhook.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import { start, testIdentifier } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { webhookCreated } from '../../support/webhookFacts.js';

const never = new AbortController().signal;

const record = rawRecord(
  encodeEvent({
    id: testIdentifier('evt'),
    accountId: testIdentifier('acct'),
    mode: 'live',
    type: 'order.completed',
    created: start,
    data: Buffer.from('{}'),
    onlyWebhookId: null,
  }),
);

function webhookOfId(id: string): Webhook {
  const state: WebhookState = evolveWebhook(null, webhookCreated({ eventsFrom: [0] }));
  if (state === null || state.status === 'deleted') {
    throw new Error('there is no webhook');
  }
  return { ...state, id, events: ['*'] };
}

/** Handles the record of an event that two webhooks match, with this function for its delivery jobs. */
function handle(deliver: Deliver) {
  const handleRecord = createHandleEvent({
    accountCheck: () => Promise.resolve(null),
    priorDeliveries: () => Promise.resolve([]),
    webhooks: {
      webhooksOf: () =>
        Promise.resolve({ readAt: 0, webhooks: [webhookOfId('wh_fails'), webhookOfId('wh_waits')] }),
      webhookOf: () => Promise.reject(new Error('a matched webhook is not read again here')),
    },
    deliver,
    resumeDelivery: () => Promise.reject(new Error('nothing was delivered before')),
    deadLetters: { append: () => Promise.reject(new Error('the record can be read')) },
  });
  return handleRecord(record, never, { takenAt: 0, isOverShare: false });
}

describe('the handler of events', () => {
  it('does not end a record with a failed delivery while another delivery is in flight', async () => {
    let end: () => void = () => undefined;
    const inFlight = new Promise<'done'>((resolve) => {
      end = () => {
        resolve('done');
      };
    });
    let isEnded = false;
    const handled = handle(({ webhookId }) =>
      webhookId === 'wh_fails' ? Promise.reject(new TypeError('a fault')) : inFlight,
    )
      .catch((error: unknown) => error)
      .finally(() => {
        isEnded = true;
      });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isEnded).to.equal(false);
    end();
    expect(await handled).to.be.instanceOf(TypeError);
  });

  it('reports a record as abandoned if one of its deliveries was abandoned', async () => {
    const result = await handle(({ webhookId }) =>
      Promise.resolve(webhookId === 'wh_fails' ? 'abandoned' : 'done'),
    );
    expect(result).to.equal('abandoned');
  });
});
