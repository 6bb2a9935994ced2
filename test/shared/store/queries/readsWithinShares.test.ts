import { expect } from 'chai';

import { UnavailableError } from '../../../../shared/core/errors.js';
import { createPoolShares } from '../../../../shared/store/client/poolShares.js';
import { eventIndexes } from '../../../../shared/store/models/indexes.js';
import type { ReadModels } from '../../../../shared/store/models/readModels.js';
import { shareReads } from '../../../../shared/store/queries/readsWithinShares.js';
import { eventDocument, openStoredEvents, type StoredEvents } from '../../../api/support/storedEvents.js';
import { start, testIdentifier } from '../../../support/facts.js';

const [busy, other] = [testIdentifier('acct', 1), testIdentifier('acct', 2)];
const [busyEvent, otherEvent] = [testIdentifier('evt', 1), testIdentifier('evt', 2)];

const listOf = (accountId: string, condition: object = {}) => ({
  ranges: [{ filter: { accountId, ...condition }, sort: { created: -1, _id: -1 } as const }],
  limit: 20,
  index: eventIndexes.all.key,
  owner: accountId,
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
    await stored.close();
  });

  it('leave connections to the reads by id and the lists of an account while another one has 100 slow lists', async () => {
    const list = await models.events.findListPage(listOf(other));
    const { documents } = await models.events.findByIds([otherEvent], { owner: other });
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
    const { documents } = await models.events.findByIds([busyEvent], { owner: busy });
    expect(documents.map(({ _id }) => _id)).to.deep.equal([busyEvent]);
  });

  it('reject the lists of an account that have waited for its earlier ones too long', async () => {
    const outcomes = await Promise.all(slowLists);
    expect(outcomes.filter((outcome) => outcome instanceof UnavailableError)).to.have.length.above(90);
  });
});
