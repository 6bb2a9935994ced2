import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import {
  createRescheduleMissing,
  type RescheduledReads,
} from '../../../consumers/maintenance/rescheduleMissing.js';
import { entriesOf } from '../../../shared/store/entries/deliveryEntries.js';
import type { EventDocument, ModelDocument } from '../../../shared/store/models/documents.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { eventDocument } from '../../api/support/storedEvents.js';
import { start, testIdentifier } from '../../support/facts.js';
import {
  deletedWebhooks,
  openStoredModels,
  webhookDocument,
  type StoredModels,
} from '../../support/storedModels.js';

const accountId = testIdentifier('acct');
const webhookIds = ['wh_1', 'wh_2', 'wh_3', 'wh_4', 'wh_5', 'wh_6', 'wh_7', 'wh_8', 'wh_9', 'wh_10'];
/** More than a page of open deliveries for each webhook. */
const eventsOfEach = 250;
const logger = { warn: () => undefined };

describe('the rescheduling of all open deliveries', () => {
  let stored: StoredModels;
  let reads: number;
  let atOnce: number;
  let mostAtOnce: number;
  /** The number of the page whose first read fails. */
  let failingRead: number;
  /** The committed offset of first attempts in partition 0. */
  let committed: number;

  beforeEach(async () => {
    [reads, atOnce, mostAtOnce, failingRead, committed] = [0, 0, 0, 0, 0];
    stored = await openStoredModels('webhooks', 'events');
    await stored
      .collectionOf('webhooks')
      .insertMany([...webhookIds.map((id) => webhookDocument({ id })), ...deletedWebhooks(accountId, 1)]);
    const events = Array.from({ length: eventsOfEach }, (_, number) =>
      openEvent(number, [...webhookIds, 'wh_deleted0']),
    );
    await insert(events);
  });
  afterEach(() => stored.close());

  /** Stores events with their entries, as the projection does. */
  const insert = async (events: readonly EventDocument[]) => {
    const documents: readonly ModelDocument[] = [...events, ...events.flatMap(entriesOf)];
    await stored.collectionOf('events').insertMany(documents.map((document) => document as EventDocument));
  };

  function openEvent(number: number, ids: readonly string[]) {
    const deliveries = ids.map((id) => [id, 'retrying'] as const);
    const id = testIdentifier('evt', number);
    const event = eventDocument({ accountId, id, type: 'a', created: start, deliveries });
    return { ...event, deliveries: event.deliveries.map((open) => ({ ...open, nextAttemptAt: start })) };
  }

  /** The reads of the database, counted. One of them fails. */
  const countedReads = (): RescheduledReads => ({
    findDistinct: stored.models.events.findDistinct,
    findByIds: stored.models.events.findByIds,
    findDerived: async (query) => {
      reads += 1;
      if (reads === failingRead) {
        throw new UnavailableError('MongoDB does not respond');
      }
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      try {
        return await stored.models.events.findDerived(query);
      } finally {
        atOnce -= 1;
      }
    },
  });

  /** The deliveries that were rescheduled, in partition 0 of 1. */
  const rescheduled = async (signal = new AbortController().signal): Promise<readonly string[]> => {
    const pairs: string[] = [];
    const reschedule = createRescheduleMissing({
      models: { events: countedReads(), webhooks: stored.models.webhooks },
      progress: { reached: () => Promise.resolve(true) },
      offsets: { ends: () => Promise.resolve([0]) },
      committedEvents: () => Promise.resolve([committed]),
      resumeDelivery: async ({ identity }) => {
        await endOfTurn();
        pairs.push(`${identity.eventId}/${identity.webhookId}`);
        return 'done';
      },
      ...{ partitions: 1, logger },
    });
    await reschedule(0, signal);
    return pairs;
  };

  it('appends each retry record once, and none of a deleted webhook', async () => {
    const pairs = await rescheduled();

    expect([pairs.length, new Set(pairs).size]).to.deep.equal([2500, 2500]);
    expect(pairs.filter((job) => job.endsWith('/wh_deleted0'))).to.deep.equal([]);
  });

  it('skips parked deliveries in the index', async () => {
    await stored
      .collectionOf('events')
      .updateMany({ 'entry.webhookId': 'wh_1' }, [{ $set: { 'entry.backlog': 'wh_1', 'entry.lane': '-' } }]);
    const pairs = await rescheduled();

    expect([pairs.length, pairs.filter((pair) => pair.endsWith('/wh_1')).length]).to.deep.equal([2250, 0]);
  });

  it('appends a retry record of a matched delivery only if no process reads its event again', async () => {
    const matched = openEvent(eventsOfEach, []);
    const [delivery] = openEvent(eventsOfEach, ['wh_1']).deliveries;
    const pending = { ...delivery, status: 'pending' as const, nextAttemptAt: null, lastNumber: 0 };
    const event = { ...matched, deliveries: delivery === undefined ? [] : [{ ...delivery, ...pending }] };
    await insert([event]);
    const isRescheduled = async () => (await rescheduled()).includes(`${event._id}/wh_1`);
    const before = await isRescheduled();
    committed = Number.MAX_SAFE_INTEGER;

    expect([before, await isRescheduled()]).to.deep.equal([false, true]);
  });

  it('reads a limited number of webhooks at once', async () => {
    await rescheduled();

    expect(mostAtOnce).to.be.within(2, 8);
  });

  it('continues after a failed read without reading a page twice', async () => {
    await rescheduled();
    const undisturbed = reads;
    [reads, failingRead] = [0, 15];
    const pairs = await rescheduled();

    expect([reads, pairs.length]).to.deep.equal([undisturbed + 1, 2500]);
  });

  it('ends when the partition is lost', async () => {
    const failure = await rescheduled(AbortSignal.abort()).catch((error: unknown) => error);

    expect(failure).to.be.instanceOf(UnavailableError);
  });
});
