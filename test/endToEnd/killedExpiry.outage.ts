import { expect } from 'chai';
import type { Filter } from 'mongodb';

import { migrate } from '../../cli/environment/migrateTopics.js';
import { checkModel } from '../../cli/rebuild/checkModel.js';
import { rebuildModel } from '../../cli/rebuild/rebuildModel.js';
import { withStores, type Stores } from '../../cli/environment/stores.js';
import { loadConfig, type Config } from '../../shared/settings/config.js';
import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import type { Mongo } from '../../shared/store/client/client.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { AliasDocument } from '../../shared/store/models/generations.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import { deliveryGroup } from '../../shared/log/topics/groups.js';
import { placementOf } from '../../shared/log/topics/partition.js';
import { appendEvents } from '../support/appendEvents.js';
import { failed, succeeded } from '../support/deliveryFacts.js';
import { eventually } from '../support/eventually.js';
import { testIdentifier } from '../support/facts.js';
import { startRoleProcess, type RoleProcess } from '../support/roleProcess.js';
import { isolatedSettings, type Settings } from '../support/settings.js';
import { openMongo } from '../support/mongo.js';

interface StoredDocument {
  readonly _id: string;
}

const expired = 2000;
const hourMs = 60 * 60 * 1000;
const waitMs = 60_000;
const { create } = createIdentifiers(Math.random);
/** Events and attempts, without the entries and counters of deliveries. */
const withoutMeta: Filter<ModelDocument> = { positions: { $exists: true }, _id: { $regex: '^[a-z]+_' } };

/** The log contains all records beforehand, and the delivery group has committed its end. Only the projections run. */
describe('events that expire while their process is killed', () => {
  let settings: Settings;
  let config: Config;
  let mongo: Mongo;
  let projections: RoleProcess;
  let open: string;
  /** An old event with an open delivery, and a new event. */
  let kept: readonly string[];
  let keptAttempts: readonly string[];

  before(async () => {
    const lasting = await isolatedSettings();
    settings = { ...lasting, POSTRIDER_EVENT_EXPIRY: '1h' };
    config = loadConfig(settings);
    await migrate(config);
    mongo = await openMongo(config.mongodb.url);
    await withStores(config, appendHistory);
    // Without an expiry all events are folded beforehand, so each later removal is due to the age of an event.
    await startProjections(lasting);
    await untilLeft('all events', 'events', (count) => count === expired + kept.length);
    await untilLeft('all attempts', 'attempts', (count) => count === expired + kept.length);
    await projections.kill();
    await startProjections(settings);
  });

  async function startProjections(theirs: Settings): Promise<void> {
    // The lease of the killed process would expire after ten seconds.
    await mongo.database.collection<StoredDocument>('leases').deleteOne({ _id: 'expiry' });
    projections = await startRoleProcess('projections', theirs);
  }

  async function appendHistory({ log, offsets, groups }: Stores): Promise<void> {
    const accountId = testIdentifier('acct');
    const old = { created: new Date(Date.now() - 3 * hourMs) };
    const done = await appendEvents(
      log,
      accountId,
      Array.from({ length: expired }, () => old),
    );
    const left = await appendEvents(log, accountId, [old, { created: new Date() }]);
    const outcomes = [...done, ...left].map((eventId) => {
      const attemptId = create('att', new Date());
      const fact = eventId === left[0] ? failed({ attemptId }) : succeeded({ attemptId });
      const home = placementOf({ id: eventId }, config.topics.partitions);
      return { attemptId, record: deliveryRecords.encode(fact, { ...fact.context, key: eventId }, home) };
    });
    await Promise.all(outcomes.map(({ record }) => log.append(record)));
    const { groupId } = deliveryGroup(config.topics.prefix);
    await groups.set(groupId, 'events', await offsets.ends('events'));
    [open = ''] = left;
    kept = [...left].sort();
    keptAttempts = outcomes
      .slice(done.length)
      .map(({ attemptId }) => attemptId)
      .sort();
  }

  const live = async (model: 'events' | 'attempts') => {
    const alias = await mongo.database.collection<AliasDocument>('models').findOne({ _id: model });
    return mongo.database.collection<ModelDocument>(alias?.live ?? '');
  };

  const idsOf = async (model: 'events' | 'attempts') => {
    const documents = await (await live(model)).find(withoutMeta, { projection: { _id: 1 } }).toArray();
    return documents.map(({ _id }) => _id).sort();
  };

  const untilLeft = (what: string, model: 'events' | 'attempts', isSo: (count: number) => boolean) =>
    eventually(
      what,
      async () => {
        const count = (await idsOf(model)).length;
        return isSo(count) ? count : null;
      },
      waitMs,
    );

  /** The remaining events and attempts after the last removal. A sweep removes events first, and then their attempts. */
  const untilSwept = async () => {
    await untilLeft('the end of the events', 'events', (count) => count <= kept.length);
    await untilLeft('the end of the attempts', 'attempts', (count) => count <= kept.length);
    return [await idsOf('events'), await idsOf('attempts')];
  };

  const check = async () => {
    const { expiryMs } = config.events;
    const checked = await withStores(config, (stores) =>
      checkModel(stores, 'events', { report: () => undefined, expiryMs }),
    );
    return [checked.expired, checked.differing];
  };

  it('are removed with their attempts if only the events were removed before the crash', async () => {
    await untilLeft('the end of the events', 'events', (count) => count <= kept.length);
    await projections.kill();
    await startProjections(settings);

    expect(await untilSwept()).to.deep.equal([kept, keptAttempts]);
  });

  it('are removed again after a rebuild has restored them', async () => {
    const before = (await live('events')).collectionName;
    await withStores(config, (stores) =>
      rebuildModel(stores, { model: 'events', lossAccepted: false }, () => undefined),
    );
    await projections.kill();
    const after = (await live('events')).collectionName;
    await startProjections(settings);

    expect([after === before, await untilSwept()]).to.deep.equal([false, [kept, keptAttempts]]);
  });

  it('are no difference to the log, unlike a lost event with an open delivery', async () => {
    await (await live('events')).deleteOne({ _id: open });

    // The check finds the event, and the entry of its delivery.
    expect(await check()).to.deep.equal([expired, 2]);
  });
});
