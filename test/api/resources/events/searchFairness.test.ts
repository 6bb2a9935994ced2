import { expect } from 'chai';

import { defaultScanLimits } from '../../../../api/scans/scanSlices.js';
import { toBinary } from '../../../../shared/store/client/binary.js';
import { secondsLater, testIdentifier } from '../../../support/facts.js';
import { listOver, listOwner } from '../../support/eventLists.js';
import { eventDocument, openStoredEvents, type StoredEvents } from '../../support/storedEvents.js';

const events = 12_000;
const [second, third] = [testIdentifier('acct', 2), testIdentifier('acct', 3)];
const data = toBinary(Buffer.from(JSON.stringify({ text: 'x'.repeat(1000) })));
const text = 'nothing';

describe('searches of several accounts', () => {
  let stored: StoredEvents;
  before(async () => {
    stored = await openStoredEvents();
    for (const [at, accountId] of [listOwner.accountId, second, third].entries()) {
      const documents = Array.from({ length: at === 0 ? events : 10 }, (_, number) => ({
        ...eventDocument({
          accountId,
          id: testIdentifier('evt', at * events + number),
          type: 'a',
          created: secondsLater(number),
          deliveries: [],
        }),
        data,
      }));
      await stored.collection.insertMany(documents);
    }
  });

  it('let the lists of another account be read while they run', async () => {
    const list = listOver(stored, { ...defaultScanLimits, maximumMs: 60_000 });
    const search = { isRunning: true };
    const searching = list({ search: text }).finally(() => {
      search.isRunning = false;
    });
    let read = 0;
    while (search.isRunning) {
      await list({ limit: 1 }, second);
      read += 1;
    }
    expect((await searching).searched?.cursor).to.equal(null);
    expect(read).to.be.above(10);
  });

  it('run one at a time for an account, and let the search of another account begin at once', async () => {
    const list = listOver(stored, { ...defaultScanLimits, maximumMs: 60 });
    const ended: string[] = [];
    const run = async (accountId: string) => {
      await list({ search: text }, accountId);
      ended.push(accountId);
    };
    const { accountId } = listOwner;
    await Promise.all([accountId, accountId, accountId, second, third].map(run));
    expect(ended.slice(0, 2).toSorted()).to.deep.equal([second, third]);
  });

  it('of one tenant wait for each other before they wait for those of another tenant', async () => {
    const list = listOver(stored, { ...defaultScanLimits, maximumMs: 60 });
    const tenantOf = (lifeId: string) =>
      ({ tenantId: 'customer-1', lifeId, eventsFrom: [], credential: 'portal' }) as const;
    const ended: string[] = [];
    const run = async (name: string, lifeId: string) => {
      await list({ search: text }, listOwner.accountId, tenantOf(lifeId));
      ended.push(name);
    };
    await Promise.all([
      ...Array.from({ length: 3 }, () => run('first tenant', 'life-1')),
      run('second tenant', 'life-2'),
    ]);
    expect(ended.slice(0, 2)).to.include('second tenant');
  });
});
