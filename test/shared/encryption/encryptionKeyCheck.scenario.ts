import { expect } from 'chai';

import { startApi } from '../../../api/main.js';
import { startDelivery } from '../../../consumers/main.js';
import { createLogger } from '../../../shared/core/logger.js';
import { loadConfig } from '../../../shared/settings/config.js';
import { openAccount } from '../../api/support/accounts.js';
import { createWebhook } from '../../api/support/webhooks.js';
import { encryptionKeys } from '../../support/encryptionKeys.js';
import { closeAtEndOfFile } from '../../support/fileResources.js';
import { startService, type TestService } from '../../support/service.js';

const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });

/** While the model of webhooks is built, the check cannot know whether a key is missing. */
describe('A key that proves missing once the read model is built', () => {
  let service: TestService;
  let webhookId: string;

  before(async () => {
    service = await startService({ POSTRIDER_ENCRYPTION_KEYS: encryptionKeys('first') });
    webhookId = (await createWebhook((await openAccount(service)).live)).id;
    await service.stopRole('projections');
    await service.withStores(({ mongo }) => mongo.database.dropDatabase());
  });

  it('ends every role that opens secrets', async () => {
    const config = loadConfig({
      ...service.settings,
      POSTRIDER_ENCRYPTION_KEYS: encryptionKeys('second'),
    });
    const roles = await Promise.all(
      [startApi, startDelivery].map((start) => start(config, logger, () => new Date())),
    );
    roles.forEach((role) => {
      closeAtEndOfFile(role.stop);
    });
    await service.startRole('projections');
    const losses = await Promise.all(roles.map(({ lost }) => lost));
    expect(
      losses.map(({ message }) => [message.includes('"first"'), message.includes(webhookId)]),
    ).to.deep.equal([
      [true, true],
      [true, true],
    ]);
  });
});
