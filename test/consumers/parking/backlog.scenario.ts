import { expect } from 'chai';

import type { RoleName } from '../../../cli/roles/runRole.js';
import { createAccount } from '../../../cli/accounts/createAccount.js';
import { migrate } from '../../../cli/environment/migrateTopics.js';
import { withStores } from '../../../cli/environment/stores.js';
import { loadConfig, type Config } from '../../../shared/settings/config.js';
import { partitionOf } from '../../../shared/log/topics/partition.js';
import { createClient, type Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { startRoleProcess, type RoleProcess } from '../../support/roleProcess.js';
import { isolatedSettings, type Settings } from '../../support/settings.js';

const roles: readonly RoleName[] = ['projections', 'delivery', 'api'];
const backlog = 500;
const concurrency = 4;

/** A webhook that hangs has 500 events behind it. The delivery process is killed, the webhook recovers. */
describe('the backlog of a webhook that hangs', () => {
  const ids: string[] = [];
  let settings: Settings;
  let config: Config;
  let delivery: RoleProcess;
  let client: Client;
  let quick: Receiver;
  let hanging: Receiver;
  let isHanging = true;
  let beforeRecovery = 0;
  let waitsOfQuick: readonly number[] = [];
  const postedAt = new Map<string, number>();

  before(async () => {
    settings = await isolatedSettings({
      POSTRIDER_PARTITIONS: '3',
      POSTRIDER_WEBHOOK_CONCURRENCY: String(concurrency),
      POSTRIDER_RETRY_SCHEDULE: '2s,2s,2s,2s,2s,2s,2s,2s',
      POSTRIDER_ATTEMPT_TIMEOUT: '3s',
    });
    config = loadConfig(settings);
    await migrate(config);
    const processes = new Map<RoleName, RoleProcess>();
    for (const role of roles) {
      processes.set(role, await startRoleProcess(role, settings));
    }
    delivery = processes.get('delivery') ?? expect.fail('no delivery process');
    quick = await startReceiver();
    hanging = await startReceiver((_request, response) => {
      if (!isHanging) {
        response.end();
      }
    });
    const account = await withStores(config, ({ commands }) =>
      createAccount(
        commands,
        { name: 'Backlog', email: 'backlog@example.com', plan: 'enterprise', requestsPerSecond: 100_000 },
        new Date(),
      ),
    );
    client = createClient(processes.get('api')?.address ?? '', account.liveKey);
    await client.post('/v1/webhooks', { url: hanging.url, events: ['*'] });
    await client.post('/v1/webhooks', { url: quick.url, events: ['*'] });
    for (let event = 0; event < backlog; event += 1) {
      const { body } = await client.post('/v1/events', { type: 'a.b', data: {} });
      ids.push(String(body['id']));
      postedAt.set(String(body['id']), Date.now());
    }
    await eventually('the quick webhook', () => (quick.requests.length >= backlog ? true : null), 60_000);
    waitsOfQuick = quick.requests.map(
      ({ headers, receivedAt }) => receivedAt - (postedAt.get(String(headers['webhook-id'])) ?? 0),
    );
    await delivery.kill();
    delivery = await startRoleProcess('delivery', settings);
    await eventually('attempts after the restart', () => {
      beforeRecovery = hanging.requests.length;
      return hanging.requests.at(-1)?.receivedAt ?? null;
    });
    isHanging = false;
    beforeRecovery = hanging.requests.length;
    await eventually('all deliveries', () => (deliveredIds().size === backlog ? true : null), 60_000);
  });

  const deliveredIds = () =>
    new Set(hanging.requests.slice(beforeRecovery).map(({ headers }) => String(headers['webhook-id'])));

  it('does not delay another webhook of the account', () => {
    const late = waitsOfQuick.filter((wait) => wait > 5000);
    expect({ deliveries: waitsOfQuick.length, late }).to.deep.equal({ deliveries: backlog, late: [] });
  });

  it('is delivered as a whole after a kill and a restart of delivery', () => {
    expect(deliveredIds().size).to.equal(backlog);
  });

  it('is delivered once', () => {
    const delivered = hanging.requests.slice(beforeRecovery).map(({ headers }) => headers['webhook-id']);
    expect(delivered.length - new Set(delivered).size).to.equal(0);
  });

  it('costs few attempts while the webhook hangs', () => {
    expect(beforeRecovery).to.be.below(backlog / 2);
  });

  /** The attempts that may wait in memory for five seconds, by the assumed 250 ms for an exchange. */
  const inMemory = 20 * concurrency;

  it('is delivered oldest first in each partition, except deliveries that waited in memory at the kill', () => {
    const released = hanging.requests
      .slice(beforeRecovery)
      .map(({ headers }) => String(headers['webhook-id']));
    const attempted = new Set(
      hanging.requests.slice(0, beforeRecovery).map(({ headers }) => String(headers['webhook-id'])),
    );
    const places = new Map(ids.map((id, place) => [id, place]));
    const early = [0, 1, 2].flatMap((partition) => {
      const order = released
        .filter((id) => partitionOf(id, 3) === partition && !attempted.has(id))
        .map((id) => places.get(id) ?? 0);
      const later = order.map((place, index) => Math.max(...order.slice(0, index + 1)) - place);
      return later.filter((distance) => distance > inMemory);
    });
    expect(early.length).to.be.at.most(inMemory);
  });
});
