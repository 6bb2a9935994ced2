import { expect } from 'chai';

import { countersIdOf, type CountersDocument } from '../../../shared/store/models/documents.js';
import { appendBacklog } from '../../support/backlog.js';
import { eventually } from '../../support/eventually.js';
import { runProgram } from '../../support/program.js';
import { startService, type TestService } from '../../support/service.js';

const events = 300;

interface Stored {
  readonly _id: string;
  readonly type?: string;
}

describe('postrider rebuild --check', () => {
  let service: TestService;
  let accountId: string;
  let ids: readonly string[];

  before(async () => {
    service = await startService();
    ({ id: accountId } = await service.createAccount());
    ids = await service.withStores(({ log }) => appendBacklog(log, accountId, events));
    await eventually('the events', async () => ((await countOfEvents()) >= events ? true : null));
  });

  const countOfEvents = () =>
    service.withStores(async ({ aliases, generations }) =>
      generations.countOf((await aliases.find('events'))?.live ?? ''),
    );

  /** The collections and consumer groups of a model. */
  const leftOf = (model: string) =>
    service.withStores(async ({ kafka, mongo }) => {
      const admin = kafka.admin();
      await admin.connect();
      const { groups } = await admin.listGroups();
      await admin.disconnect();
      const first = `${service.config.topics.prefix}${model}.v`;
      const collections = await mongo.database
        .listCollections({ name: new RegExp(`^${model}\\.v`) })
        .toArray();
      return {
        collections: collections.map(({ name }) => name),
        groups: groups.filter(({ groupId }) => groupId.startsWith(first)).length,
      };
    });

  describe('with changed documents in the model', () => {
    let code: number;
    let stdout: string;

    before(async () => {
      await service.withStores(async ({ aliases, mongo }) => {
        const live = (await aliases.find('events'))?.live ?? '';
        const documents = mongo.database.collection<Stored>(live);
        await documents.updateOne({ _id: ids[0] ?? '' }, { $set: { type: 'another' } });
        await documents.deleteOne({ _id: ids[1] ?? '' });
        await documents.insertOne({ _id: 'evt_bogus' });
        const counters = { webhookId: 'wh_bogus', failed: 2 };
        await mongo.database
          .collection<CountersDocument>(live)
          .insertOne({ _id: countersIdOf('acct_bogus', 'wh_bogus', 0), positions: {}, counters });
      });
      ({ code, stdout } = await runProgram(service.settings, 'rebuild', 'events', '--check'));
    });

    it('fails with exit code 1', () => {
      expect(code).to.equal(1);
    });

    it('lists each differing document and the difference', () => {
      const [, ...lines] = stdout.trim().split('\n');
      expect(lines.map((line) => line.trim()).sort()).to.deep.equal(
        [
          `${ids[0] ?? ''} differs from the log in type`,
          `${ids[1] ?? ''} missing from the read model`,
          'evt_bogus not in the log',
          'counters/acct_bogus/wh_bogus/0 counts 2 failed instead of 0',
        ].sort(),
      );
    });

    it('removes its collection and consumer group', async () => {
      const { collections, groups } = await leftOf('events');
      expect([collections.length, groups]).to.deep.equal([1, 1]);
    });
  });

  it('rejects an unknown model as wrong usage', async () => {
    const { code, stderr } = await runProgram(service.settings, 'rebuild', 'nonsense');
    expect([code, stderr.includes('nonsense')]).to.deep.equal([2, true]);
  });
});
