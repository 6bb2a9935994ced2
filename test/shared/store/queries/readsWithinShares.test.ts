import { expect } from 'chai';

import { UnavailableError } from '../../../../shared/core/errors.js';
import { createPoolShares } from '../../../../shared/store/client/poolShares.js';
import type { DeliveryHealthReads } from '../../../../shared/store/health/deliveryHealth.js';
import { metaId } from '../../../../shared/store/models/generations.js';
import { eventIndexes } from '../../../../shared/store/models/indexes.js';
import type { ReadModels } from '../../../../shared/store/models/readModels.js';
import {
  shareHealth,
  shareReads,
  shareSearches,
} from '../../../../shared/store/queries/readsWithinShares.js';
import { eventDocument, openStoredEvents, type StoredEvents } from '../../../api/support/storedEvents.js';
import { start, testIdentifier } from '../../../support/facts.js';

const [busy, other] = [testIdentifier('acct', 1), testIdentifier('acct', 2)];
const [busyEvent, otherEvent] = [testIdentifier('evt', 1), testIdentifier('evt', 2)];

const listOf = (accountId: string, condition: object = {}) => ({
  ranges: [{ filter: { accountId, ...condition }, sort: { created: -1, _id: -1 } as const }],
  limit: 20,
  index: eventIndexes.all.key,
  share: accountId,
  maximumBytes: 1000,
});

/** Longer than requests wait for a connection of the pool, and than a page may take. */
const slowly = { $where: 'sleep(1900) || true' };

describe('The shares of database connections', () => {
  let stored: StoredEvents;
  let models: ReadModels;
  let slowLists: readonly Promise<unknown>[];
  let admitted: (readonly [owner: string, bytes: number])[];
  before(async () => {
    stored = await openStoredEvents();
    admitted = [];
    models = shareReads(stored.models, createPoolShares(30), (owner, bytes) => admitted.push([owner, bytes]));
    for (const [accountId, id] of [
      [busy, busyEvent],
      [other, otherEvent],
    ] as const) {
      await stored.collection.insertOne(
        eventDocument({ accountId, id, type: 'a', created: start, deliveries: [] }),
      );
    }
    slowLists = Array.from({ length: 100 }, () =>
      models.events.findListPage(listOf(busy, slowly)).catch((error: unknown) => error),
    );
  });
  after(async () => {
    await Promise.all(slowLists);
  });

  it('leave connections to the reads by id and the lists of an account while another one has 100 slow lists', async () => {
    const list = await models.events.findListPage(listOf(other));
    const { documents } = await models.events.findByIds(other, [otherEvent]);
    expect([...list.documents, ...documents].map(({ _id }) => _id)).to.deep.equal([otherEvent, otherEvent]);
  });

  it('ask whether a page may be read once its list has a slot', () => {
    expect(admitted[0]).to.deep.equal([busy, 1000]);
    // Each of the two slots of an account takes two of these lists before the others have waited too long.
    expect(admitted.filter(([owner]) => owner === busy)).to.have.length.within(2, 4);
  });

  it('let no page be read that is not admitted', async () => {
    const full = shareReads(stored.models, createPoolShares(30), () => {
      throw new UnavailableError('too many bytes');
    });
    const outcome: unknown = await full.events.findListPage(listOf(other)).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(UnavailableError);
  });

  it('leave connections to the reads by id of the account itself', async () => {
    const { documents } = await models.events.findByIds(busy, [busyEvent]);
    expect(documents.map(({ _id }) => _id)).to.deep.equal([busyEvent]);
  });

  it('reject the lists of an account that have waited for its earlier ones too long', async () => {
    const outcomes = await Promise.all(slowLists);
    expect(outcomes.filter((outcome) => outcome instanceof UnavailableError)).to.have.length.above(90);
  });
});

/** Shares that write down who used them. */
function recordingShares() {
  const used: string[] = [];
  const shareOf = (name: string) => ({
    run: <Result>(owner: string, work: () => Promise<Result>) => {
      used.push(`${name} of ${owner}`);
      return work();
    },
  });
  return { used, shareOf };
}

describe('The shares of a search', () => {
  const usedFor = async (lifeId: string | null) => {
    const { used, shareOf } = recordingShares();
    const shares = { searches: shareOf('searches'), searchesOfTenants: shareOf('searches of tenants') };
    const searches = shareSearches({ countPage: unused, findListPage: unused }, shares);
    await searches.run({ accountId: busy, lifeId }, () => Promise.resolve());
    return used;
  };

  it('are that of its account for a credential of the account', async () => {
    expect(await usedFor(null)).to.deep.equal([`searches of ${busy}`]);
  });

  it('are that of its tenant, then that of all tenants of the account, for a tenant caller', async () => {
    expect(await usedFor('life-1')).to.deep.equal([
      'searches of tenants of life-1',
      `searches of ${busy}/tenants`,
    ]);
  });
});

const unused = () => Promise.reject(new Error('nothing is read'));

describe('The shares of the reads of a health', () => {
  it('are that of lists for the counts, and that of reads by id for the progress of the models', async () => {
    const { used, shareOf } = recordingShares();
    const meta = { _id: metaId, version: 1, complete: true, positions: {}, target: {} } as const;
    const models = { events: meta, attempts: meta };
    const reads: DeliveryHealthReads = {
      read: (_webhookIds, run = (one) => one()) =>
        run(() => Promise.resolve({ byWebhook: new Map(), ...models })),
      readStates: (_pages, _use, run = (one) => one()) => run(() => Promise.resolve(models)),
      readModels: (run = (one) => one()) => run(() => Promise.resolve(models)),
    };
    const health = shareHealth(reads, { lists: shareOf('lists'), lookups: shareOf('lookups') });
    await health.read(other, []);
    await health.readModels(busy);
    expect(used).to.deep.equal([`lists of ${other}`, `lookups of ${busy}`]);
  });
});
