import { expect } from 'chai';

import { migrate } from '../../cli/environment/migrateTopics.js';
import { withStores } from '../../cli/environment/stores.js';
import { loadConfig, type Config } from '../../shared/settings/config.js';
import { createAliases } from '../../shared/store/generations/aliases.js';
import type { Mongo } from '../../shared/store/client/client.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import {
  aliasCollection,
  metaId,
  type AliasDocument,
  type MetaDocument,
} from '../../shared/store/models/generations.js';
import { modelDefinitions } from '../../shared/store/models/modelDefinitions.js';
import { accountRecords } from '../../shared/log/records/accounts.js';
import { accountDeleted } from '../support/accountFacts.js';
import { appendBacklog } from '../support/backlog.js';
import { deleteRecords } from '../support/deleteRecords.js';
import { eventually } from '../support/eventually.js';
import { contextOf, testIdentifier } from '../support/facts.js';
import { runProgram, type ProgramOutcome } from '../support/program.js';
import { startRoleProcess, type RoleProcess } from '../support/roleProcess.js';
import { isolatedSettings, type Settings } from '../support/settings.js';
import { openMongo } from '../support/mongo.js';

/** Enough events for a conversion of several seconds. */
const events = 40_000;
const erasedEvents = 2000;
const later = 100;
const waitMs = 90_000;
const kept = testIdentifier('acct', 1);
const erased = testIdentifier('acct', 2);

/** The process that converts documents is killed, an account is deleted meanwhile, and another process continues. */
describe('a conversion of documents whose process is killed', function () {
  this.timeout(240_000);

  let settings: Settings;
  let config: Config;
  let mongo: Mongo;
  let outcome: ProgramOutcome;
  let wasConverting: boolean;

  before(async () => {
    settings = await isolatedSettings();
    config = loadConfig(settings);
    await migrate(config);
    mongo = await openMongo(config.mongodb.url);
    const first = await startProjections();
    await append(kept, events);
    await append(erased, erasedEvents);
    await eventually(
      'the events',
      async () => ((await countOfLive()) === events + erasedEvents ? true : null),
      waitMs,
    );
    await first.stop();
    await raiseVersion();
    await deleteRecords(config, 'events');
    const command = runProgram(settings, 'rebuild', 'events');
    const second = await startProjections();
    await eventually('some converted documents', async () => (await building())?.convertedTo ?? null, waitMs);
    wasConverting = (await aliasOfEvents()).building?.state === 'converting';
    await second.kill();
    await withStores(config, ({ log }) =>
      log.append(accountRecords.encode(accountDeleted(), contextOf(erased, { mode: null }))),
    );
    await append(kept, later);
    await startProjections();
    outcome = await command;
  });

  async function startProjections(): Promise<RoleProcess> {
    const role = await startRoleProcess('projections', settings);
    return role;
  }

  const append = (accountId: string, count: number) =>
    withStores(config, ({ log }) => appendBacklog(log, accountId, count));

  /** Marks the model as one of the previous version, whose documents are the same. */
  async function raiseVersion(): Promise<void> {
    const { live } = await aliasOfEvents();
    const { version } = modelDefinitions.events;
    const earlier = live.replace(`.v${version}.`, `.v${version - 1}.`);
    await mongo.database.collection(live).rename(earlier);
    await mongo.database
      .collection<AliasDocument>(aliasCollection)
      .updateOne({ _id: 'events' }, { $set: { live: earlier } });
  }

  const aliasOfEvents = async () =>
    (await createAliases(mongo.database).find('events')) ?? { _id: 'events', live: '' };

  const building = async () =>
    mongo.database
      .collection<MetaDocument>((await aliasOfEvents()).building?.name ?? 'none')
      .findOne({ _id: metaId });

  const countOfLive = async () =>
    Math.max(0, (await mongo.database.collection((await aliasOfEvents()).live).estimatedDocumentCount()) - 1);

  const countOf = async (accountId: string) =>
    mongo.database.collection<EventDocument>((await aliasOfEvents()).live).countDocuments({ accountId });

  it('is interrupted during the conversion', () => {
    expect(wasConverting).to.equal(true);
  });

  it('is continued and has every document, including those of events from meanwhile', async () => {
    await eventually(
      'all documents',
      async () => ((await countOf(kept)) === events + later ? true : null),
      waitMs,
    );
    expect(outcome.code).to.equal(0);
  });

  it('leaves no data of the account that was deleted meanwhile', async () => {
    await eventually('the erasure', async () => ((await countOf(erased)) === 0 ? true : null), waitMs);
  });
});
