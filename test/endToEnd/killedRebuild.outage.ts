import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

import { expect } from 'chai';

import { migrate } from '../../cli/environment/migrateTopics.js';
import { withStores } from '../../cli/environment/stores.js';
import { loadConfig, type Config } from '../../shared/settings/config.js';
import { createAliases } from '../../shared/store/generations/aliases.js';
import type { Mongo } from '../../shared/store/client/client.js';
import type { AliasDocument } from '../../shared/store/models/generations.js';
import { appendBacklog } from '../support/backlog.js';
import { eventually } from '../support/eventually.js';
import { testIdentifier } from '../support/facts.js';
import { startRoleProcess, type RoleProcess } from '../support/roleProcess.js';
import { isolatedSettings, type Settings } from '../support/settings.js';
import { openMongo } from '../support/mongo.js';

const events = 20_000;
const rebuildTimeoutMs = 60_000;

describe('a rebuild whose processes are killed', () => {
  let settings: Settings;
  let config: Config;
  let mongo: Mongo;
  let aliasBefore: AliasDocument;
  let aliasAfter: AliasDocument;
  let building: string;
  let documents: number;

  before(async () => {
    settings = await isolatedSettings();
    config = loadConfig(settings);
    await migrate(config);
    mongo = await openMongo(config.mongodb.url);
    const first = await startProjections();
    await withStores(config, ({ log }) => appendBacklog(log, testIdentifier('acct'), events));
    await eventually(
      'the events',
      async () => ((await countOfLive()) === events ? true : null),
      rebuildTimeoutMs,
    );
    aliasBefore = await aliasOfEvents();
    await beginAndKill();
    await first.kill();
    await startProjections();
    aliasAfter = await eventually(
      'the switch',
      async () => {
        const alias = await aliasOfEvents();
        return alias.live === aliasBefore.live ? null : alias;
      },
      rebuildTimeoutMs,
    );
    documents = await countOfLive();
  });

  async function startProjections(): Promise<RoleProcess> {
    const role = await startRoleProcess('projections', settings);
    return role;
  }

  async function beginAndKill(): Promise<void> {
    const command = spawn(process.execPath, [resolve('dist/cli/main.js'), 'rebuild', 'events'], {
      stdio: 'ignore',
      env: { ...process.env, ...settings },
    });
    building = await eventually(
      'the building generation',
      async () => (await aliasOfEvents()).building?.name ?? null,
    );
    const ended = once(command, 'exit');
    command.kill('SIGKILL');
    await ended;
  }

  const aliasOfEvents = async () =>
    (await createAliases(mongo.database).find('events')) ?? { _id: 'events', live: '' };

  const countOfLive = async () =>
    Math.max(0, (await mongo.database.collection((await aliasOfEvents()).live).estimatedDocumentCount()) - 1);

  it('continues automatically', () => {
    expect(aliasAfter.live).to.equal(building);
  });

  it('keeps its generation', () => {
    expect(aliasAfter.previous).to.deep.include({ name: aliasBefore.live, documents: events });
  });

  it('has all documents', () => {
    expect(documents).to.equal(events);
  });
});
