import { expect } from 'chai';

import { attemptListSchema } from '../../api/resources/attempts/routes.js';
import { eventSchema } from '../../api/resources/events/routes.js';
import { startDelivery } from '../../consumers/main.js';
import { createLogger } from '../../shared/core/logger.js';
import { loadConfig } from '../../shared/settings/config.js';
import { openAccount, type TestAccount } from '../api/support/accounts.js';
import { startAnotherApi } from '../api/support/anotherApi.js';
import { createClient, read } from '../api/support/client.js';
import { postEvent } from '../api/support/events.js';
import { createWebhook } from '../api/support/webhooks.js';
import { encryptionKeys } from '../support/encryptionKeys.js';
import { eventually } from '../support/eventually.js';
import { closeAtEndOfFile } from '../support/fileResources.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';

/** A process with a new key creates a webhook, while the delivery process does not have the key yet. */
describe('a webhook whose secret no key of the process opens', () => {
  let service: TestService;
  let account: TestAccount;
  let receiver: Receiver;
  let waiting: string;

  before(async () => {
    service = await startService({ POSTRIDER_ENCRYPTION_KEYS: encryptionKeys('old') });
    account = await openAccount(service);
    receiver = await startReceiver();
    const ahead = await startAnotherApi({ ...service, config: configWith('new', 'old') });
    const client = createClient(ahead.address, account.liveKey);
    await createWebhook(client, { url: receiver.url, events: ['sealed.new'] });
    await createWebhook(account.live, { url: receiver.url, events: ['sealed.old'] });
    waiting = (await postEvent(account.live, 'sealed.new')).id;
    await postEvent(account.live, 'sealed.old');
    await receiver.received(1);
  });

  const configWith = (...names: readonly string[]) =>
    loadConfig({ ...service.settings, POSTRIDER_ENCRYPTION_KEYS: encryptionKeys(...names) });

  const deliveriesOfWaiting = async () =>
    read(await account.live.get(`/v1/events/${waiting}`), eventSchema).deliveries;

  it('gets no events, while others get theirs', async () => {
    expect([receiver.requests.length, await deliveriesOfWaiting()]).to.deep.equal([1, []]);
  });

  it('gets its events as first attempts when the key is available', async () => {
    await service.stopRole('delivery');
    const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
    const delivery = await startDelivery(configWith('old', 'new'), logger, () => new Date());
    closeAtEndOfFile(delivery.stop);
    await eventually('the delivery', async () =>
      (await deliveriesOfWaiting())[0]?.status === 'delivered' ? true : null,
    );
    const attempts = await eventually('the attempt in its model', async () => {
      const { data } = read(await account.live.get(`/v1/events/${waiting}/attempts`), attemptListSchema);
      return data.length > 0 ? data : null;
    });
    expect(attempts.map(({ number, trigger, status }) => [number, trigger, status])).to.deep.equal([
      [1, 'first', 'succeeded'],
    ]);
  });
});
