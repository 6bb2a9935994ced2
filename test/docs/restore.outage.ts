import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

import { expect } from 'chai';
import { z } from 'zod';

import type { RoleName } from '../../cli/roles/runRole.js';
import { createKafkaClient } from '../../shared/log/client/client.js';
import { createLogger } from '../../shared/core/logger.js';
import { allPartitions } from '../../shared/store/models/modelProgress.js';
import { modelDefinitions, modelNames } from '../../shared/store/models/modelDefinitions.js';
import { fullTopicName } from '../../shared/log/topics/names.js';
import { startStack, type RunningStack } from '../../stack/stack.js';
import { openAccount, type TestAccount } from '../api/support/accounts.js';
import { createApiKey } from '../api/support/apiKeys.js';
import { createClient, type Client } from '../api/support/client.js';
import { postEvent } from '../api/support/events.js';
import { changedAnswers, everyAnswer } from '../api/support/everyAnswer.js';
import { createWebhook } from '../api/support/webhooks.js';
import { eventually } from '../support/eventually.js';
import { createOpened } from '../support/opened.js';
import { runCommand } from '../support/program.js';
import { missingAt } from '../support/readiness.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startServiceWith, type TestService } from '../support/service.js';
import { settingsOn, type Settings } from '../support/settings.js';
import { readBackupPage, type RecipeStep } from './backupPage.js';

const prefix = 'restored.';
const database = 'restored';
const waitMs = 60_000;
const delivering = ['projections', 'delivery'] as const satisfies readonly RoleName[];
const events = 12;
const deliverySchema = z.object({ deliveries: z.array(z.object({ status: z.string() })) });

/**
 * One sequence with two accounts and a backup, after which one account is deleted. All servers are lost twice, the second time with a
 * retention of the log.
 */
describe('the recipe for backup and restore in docs/operations/backup.md', function () {
  this.timeout(600_000);

  const opened = createOpened();
  let directory: string;
  let stack: RunningStack;
  let service: TestService;
  let settings: Settings;
  let receiver: Receiver;
  let kept: TestAccount;
  let erased: TestAccount;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-restore-'));
    opened.add('folder', () => rm(directory, { recursive: true, force: true }));
    receiver = await startReceiver((request, response) => {
      response.statusCode = String(request.body).includes('fail') ? 500 : 200;
      response.end();
    });
    await open();
    [kept, erased] = [await openAccount(service), await openAccount(service)];
    await makeHistory(kept);
    await makeHistory(erased);
  });
  after(async () => {
    await close();
    await opened.releaseAll();
  });

  const open = async (roles?: readonly RoleName[]) => {
    stack = await startStack({ directory });
    const url = new URL(stack.addresses.mongodb.url);
    url.pathname = `/${database}`;
    settings = settingsOn(stack.addresses, {
      MONGODB_URL: url.href,
      POSTRIDER_TOPIC_PREFIX: prefix,
      // Long enough that a retry is still scheduled after a restore.
      POSTRIDER_RETRY_SCHEDULE: '1h',
    });
    service = await startServiceWith(settings, roles);
  };

  const close = async () => {
    await service.stop();
    await stack.stop();
  };

  const makeHistory = async ({ live, test }: TestAccount) => {
    const { id } = await createWebhook(live, { url: receiver.url, events: ['*'] });
    await createWebhook(test);
    await Promise.all(Array.from({ length: events }, () => postEvent(live)));
    const failing = await postEvent(live, 'to.fail');
    await postEvent(test);
    const key = await createApiKey(live, { mode: 'live' });
    await live.delete(`/v1/api-keys/${key.id}`);
    await live.patchJson(`/v1/webhooks/${id}`, { description: 'The webhook' });
    await eventually(
      'a scheduled retry',
      async () => ((await statusOf(live, failing.id)) === 'retrying' ? true : null),
      waitMs,
    );
    const since = new Date(Date.now() - 10 * waitMs).toISOString();
    await live.postJson('/v1/replays', { webhookId: id, since, only: 'missing' });
    await eventually(
      'the end of all other deliveries and replays',
      async () => {
        const open = (await live.get('/v1/events?deliveryStatus=pending')).text;
        const replays = (await live.get('/v1/replays')).text;
        return open.includes('"data":[]') && !replays.includes('"finishedAt":null') ? true : null;
      },
      waitMs,
    );
  };

  const statusOf = async (client: Client, eventId: string) => {
    const { text } = await client.get(`/v1/events/${eventId}`);
    return deliverySchema.parse(JSON.parse(text)).deliveries[0]?.status;
  };

  /** All responses for the account, once every model has read the whole log. */
  const answersOf = async ({ liveKey, testKey }: TestAccount) => {
    await service.withStores(async ({ offsets, progress }) => {
      for (const model of modelNames) {
        for (const topic of modelDefinitions[model].topics) {
          const ends = allPartitions(await offsets.ends(topic));
          expect(await progress[model].reached(topic, ends, waitMs), model).to.equal(true);
        }
      }
    });
    const address = service.addressOf('api');
    return everyAnswer({ live: createClient(address, liveKey), test: createClient(address, testKey) });
  };

  /** Runs the commands in the steps of a recipe unchanged. */
  const follow = async (steps: readonly RecipeStep[], backup: string, withMongo: boolean) => {
    for (const { commands } of steps) {
      if (commands !== null && (withMongo || !commands.includes('MONGODB_DATA'))) {
        const env = {
          ...process.env,
          ...{ BACKUP: join(directory, backup), KEYS: join(directory, 'keys'), PREFIX: prefix },
          KAFKA_DATA: join(directory, 'kafka', 'data'),
          MONGODB_DATA: join(directory, 'mongodb'),
        };
        await promisify(execFile)('bash', ['-euc', commands], { env });
      }
    }
  };

  const backUp = async (backup: string, withMongo: boolean) => {
    await close();
    await follow((await readBackupPage()).backUp, backup, withMongo);
  };

  /** Steps 1 to 4 of the recipe. */
  const restore = async (backup: string, withMongo: boolean) => {
    const places = ['kafka', 'mongodb', 'redis'].map((name) => join(directory, name));
    await Promise.all(places.map((place) => rm(place, { recursive: true, force: true })));
    await follow((await readBackupPage()).restore, backup, withMongo);
    await open(delivering);
  };

  const missing = () => missingAt(service.addressOf('projections'));

  const untilReady = () =>
    eventually('readiness', async () => (Object.keys(await missing()).length === 0 ? true : null), waitMs);

  const untilNamed = async () =>
    eventually(
      'the error that names the deleted account',
      async () => {
        const text = (await missing())['account keys'] ?? '';
        return text.includes(erased.id) ? text : null;
      },
      waitMs,
    );

  const deleteErased = async () => {
    const { code, stderr } = await runCommand(settings, 'account', 'delete', erased.id, '--yes');
    expect([code, stderr.split('\n').at(-1)]).to.deep.equal([0, '']);
  };

  it('names each step with its commands', async () => {
    const { backUp: steps, restore: restoring } = await readBackupPage();
    const withCommands = [steps, restoring].map((recipe) => recipe.map(({ commands }) => commands !== null));
    expect(withCommands).to.deep.equal([
      [false, true, true, false],
      [false, true, true, false, false, false, false],
    ]);
  });

  it('restores the same responses byte for byte without a backup of MongoDB, and a deleted account remains erased', async () => {
    const before = await answersOf(kept);
    const received = receiver.requests.length;
    await backUp('first', false);
    await open();
    await deleteErased();
    await backUp('second', false);
    await restore('first', false);
    expect((await untilNamed()).includes(kept.id)).to.equal(false);
    await deleteErased();
    await untilReady();
    await service.startRole('api');
    expect(changedAnswers(before, await answersOf(kept))).to.deep.equal([]);
    const { status } = await createClient(service.addressOf('api'), erased.liveKey).get('/v1/webhooks');
    expect([status, receiver.requests.length]).to.deep.equal([401, received]);
  });

  it('continues to deliver after the restore', async () => {
    const { id } = await postEvent(createClient(service.addressOf('api'), kept.liveKey));
    const delivered = () => receiver.requests.some(({ headers }) => headers['webhook-id'] === id);
    await eventually('the delivery', () => (delivered() ? true : null), waitMs);
    await eventually('its outcome', async () =>
      (await statusOf(createClient(service.addressOf('api'), kept.liveKey), id)) === 'delivered'
        ? true
        : null,
    );
  });

  it('restores the same responses with a backup of MongoDB, after the log has deleted records of the read models', async () => {
    await dropRecords('events');
    await dropRecords('deliveries');
    const before = await answersOf(kept);
    expect([...before.keys()].filter((path) => path.startsWith('live /v1/events/evt_')).length).to.be.above(
      events,
    );
    await backUp('third', true);
    await restore('third', true);
    const { code } = await runCommand(settings, 'rebuild', 'accountKeys');
    await untilReady();
    await service.startRole('api');
    expect([code, changedAnswers(before, await answersOf(kept))]).to.deep.equal([0, []]);
  });

  /** Deletes all records of a topic, as its retention does. */
  const dropRecords = async (name: 'events' | 'deliveries') => {
    const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
    const admin = createKafkaClient(service.config.kafka, { clientId: 'test', logger }).admin();
    await admin.connect();
    const topic = fullTopicName(prefix, name);
    const partitions = (await admin.fetchTopicOffsets(topic))
      .filter(({ low, high }) => low !== high)
      .map(({ partition, high }) => ({ partition, offset: high }));
    await admin.deleteTopicRecords({ topic, partitions });
    await admin.disconnect();
  };
});
