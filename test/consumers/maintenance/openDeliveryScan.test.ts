import { expect } from 'chai';

import { createOpenDeliveryScan } from '../../../consumers/maintenance/openDeliverySweep.js';
import { eventDocument } from '../../api/support/storedEvents.js';
import { eventually } from '../../support/eventually.js';
import { start, testIdentifier } from '../../support/facts.js';
import {
  deletedWebhooks,
  openStoredModels,
  webhookDocument,
  type StoredModels,
} from '../../support/storedModels.js';

const accountId = testIdentifier('acct');
const logger = { warn: () => undefined };

describe('the scan of webhooks with open deliveries', () => {
  let stored: StoredModels;
  before(async () => {
    stored = await openStoredModels('webhooks', 'events');
  });
  afterEach(() => stored.empty('webhooks', 'events'));

  type Deliveries = Parameters<typeof eventDocument>[0]['deliveries'];

  /** An event for each of these lists of deliveries. */
  const addEvents = (first: number, ...events: readonly Deliveries[]) => {
    const documents = events.map((deliveries, index) => {
      const id = testIdentifier('evt', first + index);
      return eventDocument({ accountId, id, type: 'a', created: start, deliveries });
    });
    return stored.collectionOf('events').insertMany(documents);
  };

  const addWebhooks = () =>
    stored
      .collectionOf('webhooks')
      .insertMany([
        webhookDocument({ id: 'wh_active' }),
        webhookDocument({ id: 'wh_disabled', epoch: 2 }),
        ...deletedWebhooks(accountId, 2),
      ]);

  /** Scans until it has found this number of webhooks, and returns their ids. */
  const walked = async (count: number, isGracePeriodOver: () => boolean = () => true) => {
    const found: string[] = [];
    const walk = createOpenDeliveryScan({
      ...{ models: stored.models, logger, onFound: ({ id }) => found.push(id) },
      startGracePeriod: () => () => Promise.resolve(isGracePeriodOver()),
    });
    walk.restart();
    walk.start();
    try {
      await eventually('the walk', () => (found.length >= count ? true : null));
    } finally {
      await walk.stop();
    }
    return found;
  };

  it('finds ended webhooks with open deliveries of both statuses', async () => {
    await addWebhooks();
    await addEvents(
      1,
      [
        ['wh_active', 'pending'],
        ['wh_disabled', 'retrying'],
        ['wh_deleted1', 'delivered'],
      ],
      [
        ['wh_deleted0', 'pending'],
        ['wh_disabled', 'retrying'],
      ],
    );

    expect(await walked(2)).to.have.members(['wh_disabled', 'wh_deleted0']);
  });

  it('scans again when the outcomes of earlier attempts are known', async () => {
    await addWebhooks();
    await addEvents(1, [['wh_disabled', 'retrying']]);
    let asked = 0;
    const isGracePeriodOver = () => {
      asked += 1;
      return asked === 2;
    };

    expect(await walked(2, isGracePeriodOver)).to.deep.equal(['wh_disabled', 'wh_disabled']);
  });

  it('costs the same reads for 1,000 more deleted webhooks whose deliveries are final', async () => {
    await addWebhooks();
    await addEvents(1, [['wh_disabled', 'retrying']]);
    const few = await stored.costOf('events', () => walked(1));
    const more = deletedWebhooks(accountId, 1000).slice(2);
    await stored.collectionOf('webhooks').insertMany([...more]);
    await addEvents(2, ...more.map(({ _id }) => [[_id, 'canceled']] as const));

    expect(await stored.costOf('events', () => walked(1))).to.deep.equal(few);
  });

  it('costs one seek for each webhook, no matter how many open deliveries it has', async () => {
    await addWebhooks();
    await addEvents(1, [['wh_disabled', 'retrying']]);
    const one = await stored.costOf('events', () => walked(1));
    await addEvents(2, ...Array.from({ length: 500 }, () => [['wh_disabled', 'retrying']] as const));

    expect(await stored.costOf('events', () => walked(1))).to.deep.equal(one);
  });
});
