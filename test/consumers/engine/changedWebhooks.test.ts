import { expect } from 'chai';

import { openAccount, type TestAccount } from '../../api/support/accounts.js';
import { postEvent } from '../../api/support/events.js';
import { createWebhook } from '../../api/support/webhooks.js';
import { startReceiver } from '../../support/receiver.js';

/** So many that some are posted while a stale read of the webhooks would still be in use. */
const changes = 8;

describe('an event that is posted right after the response to a change of a webhook', () => {
  /** Other events meanwhile. Delivery reads the webhooks repeatedly for them, and caches each read for a moment. */
  async function whileOthersCome(account: TestAccount, work: () => Promise<void>) {
    const ended = new AbortController();
    const others = (async () => {
      while (!ended.signal.aborted) {
        await postEvent(account.live, 'another.type');
      }
    })();
    await work();
    ended.abort();
    await others;
  }

  const create = ({ live }: TestAccount, url: string, type: string) =>
    createWebhook(live, { url, events: [type] });

  const subscribe = async ({ live }: TestAccount, url: string, type: string) => {
    const { id } = await createWebhook(live, { url, events: ['none'] });
    return live.patchJson(`/v1/webhooks/${id}`, { events: [type] });
  };

  it('is delivered to a webhook that was created, and to one that was subscribed to its type', async () => {
    const account = await openAccount();
    const receiver = await startReceiver();
    const posted: string[] = [];
    await whileOthersCome(account, async () => {
      for (let number = 0; number < changes; number += 1) {
        const type = `type.${number}`;
        await (number % 2 === 0 ? create : subscribe)(account, receiver.url, type);
        const { id } = await postEvent(account.live, type);
        posted.push(id);
      }
    });
    const requests = await receiver.received(changes);

    expect(requests.map(({ headers }) => headers['webhook-id'])).to.have.members(posted);
  });
});
