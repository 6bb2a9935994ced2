import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { createAccount } from '../../cli/accounts/createAccount.js';
import { program } from '../../cli/environment/operator.js';
import { withStores, type Stores } from '../../cli/environment/stores.js';
import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import { createRandom } from '../../shared/core/random.js';
import { createSecretBox } from '../../shared/security/secretBox.js';
import { encodeEvent } from '../../shared/log/records/events.js';
import { webhookRecords } from '../../shared/log/records/webhooks.js';
import type { PipelineSite } from '../pipelines/pipeline.js';

/** Accounts whose webhooks all hang. */
export interface HangingAccounts {
  /** Appends events of these accounts in turn, so many a second. Each goes to all webhooks of its account. */
  readonly appendEvents: (count: number, perSecond: number) => Promise<void>;
}

export interface HangingSizes {
  readonly accounts: number;
  readonly webhooksEach: number;
}

const identifiers = createIdentifiers(createRandom());
/** The leases of so many accounts are taken at once. */
const createdAtOnce = 10;
const secretBytes = 32;
const data = Buffer.from(JSON.stringify({ note: 'postrider '.repeat(50) }));

/**
 * Creates the accounts with commands, and appends their webhooks to the log as the API would. With 10,000 requests the preparation
 * would take longer than the measurement.
 * @param urlOf the URL of each webhook, by its number
 */
export async function createHangingAccounts(
  { config }: Pick<PipelineSite, 'config'>,
  { accounts, webhooksEach }: HangingSizes,
  urlOf: (webhook: number) => string,
): Promise<HangingAccounts> {
  const ids: string[] = [];
  const create = async (stores: Stores, account: number) => {
    const created = await createAccount(
      stores.commands,
      {
        name: `Hanging ${account}`,
        email: `hanging${account}@localhost`,
        plan: 'enterprise',
        requestsPerSecond: 1,
      },
      new Date(),
    );
    ids.push(created.id);
    await Promise.all(
      Array.from({ length: webhooksEach }, (_, index) =>
        stores.log.append(webhookCreated(config, created.id, urlOf(account * webhooksEach + index))),
      ),
    );
  };
  await withStores(config, async (stores) => {
    for (let first = 0; first < accounts; first += createdAtOnce) {
      const length = Math.min(createdAtOnce, accounts - first);
      await Promise.all(Array.from({ length }, (_, index) => create(stores, first + index)));
    }
  });
  return {
    appendEvents: (count, perSecond) =>
      withStores(config, async ({ log }) => {
        for (let index = 0; index < count; index += 1) {
          await log.append(eventOf(ids[index % ids.length] ?? ''));
          await pause(1000 / perSecond);
        }
      }),
  };
}

function webhookCreated(config: PipelineSite['config'], accountId: string, url: string) {
  const at = new Date();
  const key = identifiers.create('wh', at);
  const secret = createSecretBox(config.encryptionKeys).seal(randomBytes(secretBytes), key);
  const eventsFrom = Array.from({ length: config.topics.partitions }, () => 0);
  return webhookRecords.encode(
    {
      type: 'postrider.webhook.created',
      value: { url, events: ['*'], description: null, secret, eventsFrom, actor: program },
    },
    { id: identifiers.createRecordId(at), key, accountId, mode: 'live', at },
  );
}

function eventOf(accountId: string) {
  const created = new Date();
  const id = identifiers.create('evt', created);
  return encodeEvent({
    ...{ id, accountId, type: 'order.completed', created, data },
    mode: 'live',
    onlyWebhookId: null,
  });
}
