import { expect } from 'chai';

import { migrate } from '../../cli/environment/migrateTopics.js';
import type { RoleName } from '../../cli/roles/runRole.js';
import { withStores } from '../../cli/environment/stores.js';
import { loadConfig } from '../../shared/settings/config.js';
import { createClient, type Client } from '../support/client.js';
import { olderProgram } from '../support/olderProgram.js';
import { closeAtEndOfFile } from '../support/fileResources.js';
import { runProgramAt } from '../support/program.js';
import { startRoleProcess } from '../support/roleProcess.js';
import { isolatedSettings, type Settings } from '../support/settings.js';
import { startProgram, type StartedProgram } from '../support/startCommand.js';

const changedModels = ['accounts', 'events'] as const;
/** The roles without delivery, because these tests deliver nothing. */
const roleNames: readonly RoleName[] = ['projections', 'api'];

/** The promise of docs/operations/upgrade.md: the command makes the whole upgrade before it reports that it is ready. */
describe('postrider start with the data of an older version', () => {
  let started: StartedProgram;
  let client: Client;
  let eventId: string;

  before(async () => {
    const older = await olderProgram(changedModels);
    const settings = await isolatedSettings();
    await migrate(loadConfig(settings));
    const roles = await Promise.all(roleNames.map((name) => startRoleProcess(name, settings, older.path)));
    closeAtEndOfFile(async () => {
      await Promise.all(roles.map(({ stop }) => stop()));
    });
    const terms = ['--name', 'Test', '--email', 'test@example.com', '--plan', 'enterprise', '--rps', '10000'];
    const created = await runProgramAt(older.path, settings, 'account', 'create', ...terms, '--json');
    const { liveKey } = JSON.parse(created.stdout) as { readonly liveKey: string };
    const olderClient = createClient(roles.at(-1)?.address ?? '', liveKey);
    const { body } = await olderClient.post('/v1/events', { type: 'a.b', data: { n: 1 } });
    eventId = String(body['id']);
    await Promise.all(roles.map(({ stop }) => stop()));
    await dropIndexes(settings);
    started = await startProgram(settings);
    closeAtEndOfFile(async () => {
      await started.stop();
    });
    client = createClient(started.address, liveKey);
  });

  it('rebuilds the models that have another version, and prints them', () => {
    expect(started.text()).to.match(
      /Building read models of this version from the log: events, accounts …[^]*Postrider is ready/,
    );
  });

  it('returns the existing data at once, with the existing keys', async () => {
    const { status, body } = await client.get(`/v1/events/${eventId}`);
    expect([status, body['data']]).to.deep.equal([200, { n: 1 }]);
  });

  it('creates missing indexes of the other models', async () => {
    expect((await client.get(`/v1/events/${eventId}/attempts`)).status).to.equal(200);
  });

  it('creates no trial account if one exists', () => {
    expect(started.text()).to.match(
      /sign in {4}npx postrider account sign-in-link acct_\w+ test@example.com/,
    );
  });

  it('stops cleanly', async () => {
    expect(await started.stop()).to.equal(0);
  });
});

/** Drops the indexes, as if the previous version had none. The version of this model has not changed. */
async function dropIndexes(settings: Settings): Promise<void> {
  await withStores(loadConfig(settings), async ({ mongo, aliases }) => {
    const alias = await aliases.find('attempts');
    await mongo.database.collection(alias?.live ?? '').dropIndexes();
  });
}
