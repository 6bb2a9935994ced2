import { expect } from 'chai';

import { migrate } from '../../cli/environment/migrateTopics.js';
import type { RoleName } from '../../cli/roles/runRole.js';
import { withStores } from '../../cli/environment/stores.js';
import { loadConfig, type Config } from '../../shared/settings/config.js';
import type { AliasDocument } from '../../shared/store/models/generations.js';
import { modelDefinitions } from '../../shared/store/models/modelDefinitions.js';
import { createClient } from '../support/client.js';
import { deleteRecords } from '../support/deleteRecords.js';
import { eventually } from '../support/eventually.js';
import { olderProgram } from '../support/olderProgram.js';
import { closeAtEndOfFile } from '../support/fileResources.js';
import { runProgram, runProgramAt, type ProgramOutcome } from '../support/program.js';
import { startReceiver } from '../support/receiver.js';
import { startRoleProcess } from '../support/roleProcess.js';
import { isolatedSettings, type Settings } from '../support/settings.js';
import { startProgram } from '../support/startCommand.js';

const roleNames: readonly RoleName[] = ['projections', 'delivery', 'api'];

/** No conversion of attempts of version 0 exists, so documents whose records the log has deleted cannot get into the next version. */
describe('postrider start with a model that would lose documents', () => {
  let settings: Settings;
  let config: Config;
  let aliasBefore: AliasDocument | null;
  let rejected: ProgramOutcome;

  const aliasOfAttempts = () => withStores(config, ({ aliases }) => aliases.find('attempts'));

  const countOfAttempts = () =>
    withStores(config, async ({ aliases, generations }) =>
      generations.countOf((await aliases.find('attempts'))?.live ?? ''),
    );

  before(async () => {
    const { version } = modelDefinitions.attempts;
    const older = await olderProgram(Array.from({ length: version }, () => 'attempts' as const));
    settings = await isolatedSettings();
    config = loadConfig(settings);
    await migrate(config);
    const roles = await Promise.all(roleNames.map((name) => startRoleProcess(name, settings, older.path)));
    const stopRoles = () => Promise.all(roles.map(({ stop }) => stop()));
    closeAtEndOfFile(async () => {
      await stopRoles();
    });
    const receiver = await startReceiver();
    const terms = ['--name', 'Test', '--email', 'test@example.com', '--plan', 'enterprise', '--rps', '10000'];
    const created = await runProgramAt(older.path, settings, 'account', 'create', ...terms, '--json');
    const { liveKey } = JSON.parse(created.stdout) as { readonly liveKey: string };
    const client = createClient(roles.at(-1)?.address ?? '', liveKey);
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    await client.post('/v1/events', { type: 'a.b', data: {} });
    await eventually('the attempt', async () => ((await countOfAttempts()) === 1 ? true : null));
    await stopRoles();
    await deleteRecords(config, 'deliveries');
    aliasBefore = await aliasOfAttempts();
    rejected = await runProgram(settings, 'start');
  });

  it('exits with 1, and prints the model, its loss and the option that accepts the loss', () => {
    expect([rejected.code, rejected.stderr]).to.satisfy(
      ([code, text]: readonly [number, string]) =>
        code === 1 &&
        /attempts: up to 1 of 1 documents, from \d+ records before .* version 0 cannot be converted/.test(
          text,
        ) &&
        text.includes('--accept-loss'),
    );
  });

  it('changes nothing', async () => {
    expect(await aliasOfAttempts()).to.deep.equal(aliasBefore);
  });

  it('builds the model from the rest of the log if the loss is accepted', async () => {
    const started = await startProgram(settings, '--accept-loss');
    closeAtEndOfFile(async () => {
      await started.stop();
    });
    expect([(await aliasOfAttempts())?.previous?.name, await countOfAttempts()]).to.deep.equal([
      aliasBefore?.live,
      0,
    ]);
  });
});
