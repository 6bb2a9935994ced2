import { expect } from 'chai';
import { MongoClient } from 'mongodb';

import type { Mongo } from '../../../../shared/store/client/client.js';
import { createLastUsed, type LastUsed } from '../../../../shared/store/coordination/lastUsed.js';
import { eventually } from '../../../support/eventually.js';
import { secondsLater } from '../../../support/facts.js';
import { closeAtEndOfFile } from '../../../support/fileResources.js';
import { isolatedConfig } from '../../../support/settings.js';
import { openMongo } from '../../../support/mongo.js';

const silent = { warn: () => undefined };
const never = 3_600_000;

describe('The last uses of API keys', () => {
  let mongo: Mongo;
  let url: string;
  before(async () => {
    url = (await isolatedConfig()).mongodb.url;
    mongo = await openMongo(url);
  });

  const create = (clock: () => Date, intervalMs = never): LastUsed => {
    const uses = createLastUsed(mongo.database, { clock, logger: silent, intervalMs });
    closeAtEndOfFile(uses.close);
    return uses;
  };

  const lastUseOf = async (id: string) => (await create(() => new Date()).find([id])).get(id);

  it('do not exist before the first use', async () => {
    expect(await lastUseOf('key_unused')).to.equal(undefined);
  });

  it('are written once an interval', async () => {
    create(() => secondsLater(1), 20).note('key_interval');
    const at = await eventually('the use', async () => (await lastUseOf('key_interval')) ?? null);
    expect(at).to.deep.equal(secondsLater(1));
  });

  it('are written when the process stops', async () => {
    const uses = create(() => secondsLater(1));
    uses.note('key_stop');
    await uses.close();
    expect(await lastUseOf('key_stop')).to.deep.equal(secondsLater(1));
  });

  it('are the latest of all processes, whichever writes last', async () => {
    const [late, early] = [create(() => secondsLater(2)), create(() => secondsLater(1))];
    late.note('key_two');
    early.note('key_two');
    await late.close();
    await early.close();
    expect(await lastUseOf('key_two')).to.deep.equal(secondsLater(2));
  });

  it('are removed with a key', async () => {
    const uses = create(() => secondsLater(1));
    uses.note('key_deleted');
    await uses.close();
    await uses.forget('key_deleted');
    expect(await lastUseOf('key_deleted')).to.equal(undefined);
  });

  it('cost one write for any number of requests', async () => {
    const client = new MongoClient(url, { monitorCommands: true });
    closeAtEndOfFile(() => client.close());
    let updates = 0;
    client.on('commandStarted', ({ commandName, command }) => {
      updates += commandName === 'update' ? (command['updates'] as readonly unknown[]).length : 0;
    });
    const uses = createLastUsed(client.db(), {
      clock: () => secondsLater(1),
      logger: silent,
      intervalMs: never,
    });
    for (let request = 0; request < 1000; request += 1) {
      uses.note('key_busy');
    }
    await uses.close();
    expect(updates).to.equal(1);
  });

  it('fail no request while the database is unavailable, and are written afterwards', async () => {
    const client = await MongoClient.connect(url);
    closeAtEndOfFile(() => client.close());
    const reasons: string[] = [];
    const uses = createLastUsed(client.db(), {
      clock: () => secondsLater(1),
      logger: { warn: (line: object) => reasons.push(JSON.stringify(line)) },
      intervalMs: 20,
    });
    await client.close();
    uses.note('key_away');
    await eventually('a write fails', () => (reasons.length > 0 ? true : null));
    await client.connect();
    const at = await eventually('the use', async () => (await lastUseOf('key_away')) ?? null);
    await uses.close();
    expect(at).to.deep.equal(secondsLater(1));
  });
});
