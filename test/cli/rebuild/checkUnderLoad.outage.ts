import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { checkModel } from '../../../cli/rebuild/checkModel.js';
import { rebuildModel } from '../../../cli/rebuild/rebuildModel.js';
import { appendBacklog } from '../../support/backlog.js';
import { eventually } from '../../support/eventually.js';
import { testIdentifier } from '../../support/facts.js';
import { closeAtEndOfFile } from '../../support/fileResources.js';
import { startService, type TestService } from '../../support/service.js';

const accountId = testIdentifier('acct');
const paceMs = 20;
const silent = () => undefined;
const options = { report: silent, expiryMs: null };

describe('a check of models under load', () => {
  let service: TestService;
  let stopped = false;
  let load: Promise<void>;

  before(async () => {
    service = await startService();
    load = service.withStores(async ({ log }) => {
      while (!stopped) {
        await appendBacklog(log, accountId, 20);
        await pause(paceMs);
      }
    });
    closeAtEndOfFile(stopLoad);
  });

  async function stopLoad() {
    stopped = true;
    await load;
  }

  it('finds no differences, although a document changes permanently', async () => {
    const checked = await service.withStores((stores) =>
      Promise.all([checkModel(stores, 'events', options), checkModel(stores, 'stats', options)]),
    );
    expect(
      checked.map(({ model, differing, checksum, rebuiltChecksum }) => [
        model,
        differing,
        checksum === rebuiltChecksum,
      ]),
    ).to.deep.equal([
      ['events', 0, true],
      ['stats', 0, true],
    ]);
  });

  it('finds a lost document, until the model is rebuilt', async () => {
    await stopLoad();
    const found = await service.withStores(async (stores) => {
      const live = (await stores.aliases.find('events'))?.live ?? '';
      const documents = stores.mongo.database.collection<{ _id: string }>(live);
      const lost = await eventually('an event', () => documents.findOneAndDelete({ _id: /^evt_/ }));
      const { differences } = await checkModel(stores, 'events', options);
      await rebuildModel(stores, { model: 'events', lossAccepted: false }, silent);
      const { differing } = await checkModel(stores, 'events', options);
      return { named: differences.map(({ id }) => id === lost._id), differing };
    });
    expect(found).to.deep.equal({ named: [true], differing: 0 });
  });
});
