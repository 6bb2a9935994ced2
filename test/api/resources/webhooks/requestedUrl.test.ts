import { expect } from 'chai';

import { startReceiver, type Receiver } from '../../../support/receiver.js';
import { openAccount } from '../../support/accounts.js';
import { postEvent } from '../../support/events.js';
import { createWebhook } from '../../support/webhooks.js';

describe('the URL of a webhook in responses', () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });

  it('is the one that requests are sent to', async () => {
    const { live } = await openAccount();
    const { origin } = new URL(receiver.url);
    const { url } = await createWebhook(live, {
      url: `${origin}/a/../b/x'y|z?q={1}&r=%7E`,
      events: ['requested'],
    });
    await postEvent(live, 'requested');

    const [request] = await receiver.received(1);
    expect(url).to.equal(`${origin}${request?.path ?? ''}`);
  });
});
