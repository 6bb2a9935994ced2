import { expect } from 'chai';

import { createPoolShares } from '../../../../shared/store/client/poolShares.js';
import {
  eventTypeIdOf,
  tenantIdOf,
  type ModelDocument,
  type TenantApiKeyDocument,
} from '../../../../shared/store/models/documents.js';
import { modelNames, type DocumentsByModel } from '../../../../shared/store/models/modelDefinitions.js';
import type { ReadModels } from '../../../../shared/store/models/readModels.js';
import { statsDocumentId, statsSeries } from '../../../../shared/store/models/statsDocuments.js';
import { shareReads } from '../../../../shared/store/queries/readsWithinShares.js';
import { start, testIdentifier } from '../../../support/facts.js';
import { openStoredModels, type StoredModels } from '../../../support/storedModels.js';

type Documents = DocumentsByModel & { readonly tenantApiKeys: TenantApiKeyDocument };

/** One document of an account in every read model, with the fields that name its account. */
type OneOfEach = { readonly [Name in keyof ReadModels]: { readonly _id: string } & Partial<Documents[Name]> };

const account = testIdentifier('acct', 1);
/** The id of the other account begins with the id of the account. */
const foreign = `${account}0`;

function documentsOf(accountId: string, number: number): OneOfEach {
  const series = { accountId, mode: 'live', name: statsSeries.all } as const;
  return {
    events: { _id: testIdentifier('evt', number), accountId },
    webhooks: { _id: testIdentifier('wh', number), accountId },
    accounts: { _id: accountId },
    accountKeys: { _id: accountId },
    attempts: { _id: testIdentifier('att', number), accountId },
    audit: { _id: `entry-${number}`, accountId },
    stats: { _id: statsDocumentId(series, 'hour', start, 0) },
    replays: { _id: testIdentifier('rpl', number), accountId },
    eventTypes: { _id: eventTypeIdOf(accountId, 'live', 'order.paid'), accountId },
    tenants: { _id: tenantIdOf(accountId, 'live', 'customer-1'), accountId },
    tenantApiKeys: { _id: testIdentifier('key', number), accountId },
  };
}

const [own, others] = [documentsOf(account, 1), documentsOf(foreign, 2)];
const isRead = (name: string): name is keyof ReadModels => name in own;
const reads = Object.keys(own).filter(isRead);

describe('A read by id', () => {
  let stored: StoredModels;
  before(async () => {
    stored = await openStoredModels(...modelNames);
    for (const name of reads) {
      const { collectionName } = stored.collectionOf(name === 'tenantApiKeys' ? 'tenants' : name);
      await stored.database
        .collection<ModelDocument>(collectionName)
        .insertMany([own[name], others[name]].map((document) => ({ ...document, positions: {} })));
    }
  });

  /** The ids that the two kinds of reads find of the documents of both accounts. */
  const found = async (models: ReadModels, name: keyof ReadModels) => {
    const ids = [own[name]._id, others[name]._id];
    const answers = [
      await models[name].findByIds(account, ids),
      await models[name].findByIds(foreign, ids),
      await models[name].findByIds('', ids),
      await models[name].findInAllAccounts(ids),
    ];
    return answers.map(({ documents }) => documents.map(({ _id: id }) => id).toSorted());
  };

  for (const name of reads) {
    it(`in the model ${name} finds nothing of a foreign account`, async () => {
      const [ownId, otherId] = [own[name]._id, others[name]._id];
      const expected = [[ownId], [otherId], [], [ownId, otherId].toSorted()];
      expect(await found(stored.models, name)).to.deep.equal(expected);
      expect(await found(shareReads(stored.models, createPoolShares(30)), name)).to.deep.equal(expected);
    });
  }

  it('of an event finds nothing before the record of the event is folded, which names its account', async () => {
    const id = testIdentifier('evt', 3);
    await stored.collectionOf('events').insertOne({ _id: id, positions: {}, home: 0, deliveries: [] });
    const { documents } = await stored.models.events.findByIds(account, [id]);
    expect(documents).to.deep.equal([]);
  });
});
