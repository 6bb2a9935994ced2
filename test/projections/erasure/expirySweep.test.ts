import { expect } from 'chai';

import { createExpirySweep, type ExpirySweepDependencies } from '../../../projections/erasure/expirySweep.js';
import { createLogger } from '../../../shared/core/logger.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import type { Delivery } from '../../../shared/domain/deliveries/delivery.js';
import type { Mongo } from '../../../shared/store/client/client.js';
import { createLeases } from '../../../shared/store/coordination/leases.js';
import { attemptIndexes } from '../../../shared/store/models/indexes.js';
import type { ModelProgress } from '../../../shared/store/models/modelProgress.js';
import { modelDefinitions, type ModelName } from '../../../shared/store/models/modelDefinitions.js';
import { createExpiredDocuments } from '../../../shared/store/queries/expiredDocuments.js';
import { eventually } from '../../support/eventually.js';
import { openNewDatabase } from '../../support/mongo.js';

const hourMs = 60 * 60 * 1000;
const now = new Date();
const old = new Date(now.getTime() - 3 * hourMs);
const young = new Date(now.getTime() - hourMs / 2);
const { create } = createIdentifiers(Math.random);
const silent = createLogger({ role: 'test', level: 'silent', isTerminal: false });

/** The committed offset of the group of first attempts in the only partition. */
const committed = 100;

interface Stored {
  readonly created?: Date;
  /** Null if the log has lost the event's own record. */
  readonly offset?: number | null;
  readonly status?: Delivery['status'];
}

interface StoredDocument {
  readonly _id: string;
  readonly [field: string]: unknown;
}

const nameOf = (model: ModelName) => `${model}.v${modelDefinitions[model].version}.test`;

describe('The sweep of expired events', () => {
  let mongo: Mongo;

  before(async () => {
    mongo = await openNewDatabase();
  });

  beforeEach(async () => {
    const aliases = (['events', 'attempts'] as const).map((name) => ({ _id: name, live: nameOf(name) }));
    await mongo.database.collection<StoredDocument>('models').insertMany(aliases);
    await attempts().createIndexes([attemptIndexes.byEvent]);
  });

  afterEach(() => mongo.database.dropDatabase());

  const events = () => mongo.database.collection<StoredDocument>(nameOf('events'));
  const attempts = () => mongo.database.collection<StoredDocument>(nameOf('attempts'));

  /** Stores an event with an attempt. */
  const store = async ({ created = old, offset = committed - 1, status }: Stored = {}): Promise<string> => {
    const id = create('evt', created);
    const source = offset === null ? {} : { source: { partition: 0, offset } };
    const deliveries = status === undefined ? [] : [{ webhookId: 'wh_1', status }];
    await events().insertOne({ _id: id, created, deliveries, ...source });
    await storeAttempt(id);
    return id;
  };

  const storeAttempt = (eventId: string) =>
    attempts().insertOne({ _id: create('att', now), eventId, created: now });

  const statuses = (...each: readonly Delivery['status'][]) => each.map((status) => store({ status }));

  /**
   * Runs sweeps over the stored documents. Resolves to the remaining events, and to the events of the remaining
   * attempts.
   */
  const sweep = async (changes: Partial<ExpirySweepDependencies> = {}, wanted = 1) => {
    let passes = 0;
    const swept = createExpirySweep({
      documents: createExpiredDocuments(mongo.database),
      progress: { reached: () => Promise.resolve(true) },
      offsets: { ends: () => Promise.resolve([committed]) },
      groups: { committed: () => Promise.resolve([committed]) },
      deliveryGroup: { groupId: 'delivery', topics: ['events'] },
      expiryMs: hourMs,
      clock: () => now,
      logger: silent,
      intervalMs: 1,
      ...changes,
      leases: {
        holdIfFree: (name, work) => {
          passes += 1;
          return createLeases(mongo.database).holdIfFree(name, work);
        },
      },
    });
    swept.start();
    // A sweep begins once the one before has ended.
    await eventually('a pass', () => (passes > wanted ? true : null));
    await swept.stop();
    const left = await events().find().toArray();
    const attempted = await attempts().distinct('eventId');
    return { left: left.map(({ _id }) => _id), attempted };
  };

  it('removes old events without an open delivery, with their attempts, and keeps the others', async () => {
    await Promise.all([store(), ...statuses('delivered', 'failed', 'canceled')]);
    // The log has lost the event's own record.
    await store({ offset: null });
    const kept = await Promise.all([
      store({ created: young }),
      ...statuses('retrying', 'pending'),
      // The first attempts of this event are not done.
      store({ offset: committed }),
    ]);
    const found = await sweep();
    expect(found.left).to.have.members(kept);
    expect(found.attempted).to.have.members(kept);
  });

  it('removes attempts whose event is missing, except for an event that may still be read', async () => {
    const youngId = create('evt', young);
    await storeAttempt(create('evt', old));
    await storeAttempt(youngId);
    expect(await sweep()).to.deep.equal({ left: [], attempted: [youngId] });
  });

  it('reads events page by page, including events that stay', async () => {
    const stored = Array.from({ length: 1300 }, (_, number) => ({
      _id: create('evt', old),
      source: { partition: 0, offset: number % 2 === 0 ? 1 : committed },
      deliveries: [],
    }));
    await events().insertMany(stored);
    const { left } = await sweep();
    expect(left).to.have.members(
      stored.filter(({ source }) => source.offset === committed).map(({ _id }) => _id),
    );
  });

  it('removes the other events of a page while one of them is being changed', async () => {
    const changed = await store({ status: 'failed' });
    await Promise.all([store(), store({ status: 'delivered' }), store({ status: 'canceled' })]);
    await mongo.database.client.withSession(async (session) => {
      session.startTransaction();
      await events().updateOne({ _id: changed }, { $set: { changed: true } }, { session });
      expect(await sweep()).to.deep.equal({ left: [changed], attempted: [changed] });
      await session.abortTransaction();
    });
  });

  it('removes nothing while the model is behind and cannot know the open deliveries', async () => {
    const id = await store();
    const progress: ModelProgress = { reached: (topic) => Promise.resolve(topic !== 'deliveries') };
    expect((await sweep({ progress })).left).to.deep.equal([id]);
  });

  it('removes nothing while the committed offsets of first attempts are unknown', async () => {
    const id = await store();
    const groups = { committed: () => Promise.resolve([null]) };
    expect((await sweep({ groups })).left).to.deep.equal([id]);
  });

  it('removes nothing while another process sweeps', async () => {
    const id = await store();
    let left: readonly string[] = [];
    await createLeases(mongo.database).holdIfFree('expiry', async () => {
      ({ left } = await sweep());
    });
    expect(left).to.deep.equal([id]);
  });

  it('continues after a failure', async () => {
    await store();
    let fails = true;
    const groups = {
      committed: () => {
        const answer = fails ? Promise.reject(new Error('away')) : Promise.resolve([committed]);
        fails = false;
        return answer;
      },
    };
    expect((await sweep({ groups }, 2)).left).to.deep.equal([]);
  });
});
