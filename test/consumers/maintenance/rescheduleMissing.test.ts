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

  before(async () => {
    stored = await openStoredModels('webhooks', 'events');
    await stored
      .collectionOf('webhooks')
      .insertMany([...webhookIds.map((id) => webhookDocument({ id })), ...deletedWebhooks(accountId, 1)]);
    const events = Array.from({ length: eventsOfEach }, (_, number) =>
      openEvent(number, [...webhookIds, 'wh_deleted0']),
    );
    await insert(events);
  });
  beforeEach(() => {
    [reads, atOnce, mostAtOnce, failingRead, committed] = [0, 0, 0, 0, 0];
  });

  /** Stores another event with its entries for the time of some work. */
  const whileStored = async (event: EventDocument, work: () => Promise<void>) => {
    await insert([event]);
    try {
      await work();
    } finally {
      const ids = [event._id, ...entriesOf(event).map(({ _id }) => _id)];
      await stored.collectionOf('events').deleteMany({ _id: { $in: ids } });
    }
  };

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
    findInAllAccounts: stored.models.events.findInAllAccounts,
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

  it('appends each retry record once, and none of a deleted webhook, and reads a limited number of webhooks at once', async () => {
    const pairs = await rescheduled();

    expect([pairs.length, new Set(pairs).size]).to.deep.equal([2500, 2500]);
    expect(pairs.filter((job) => job.endsWith('/wh_deleted0'))).to.deep.equal([]);
    expect(mostAtOnce).to.be.within(2, 8);
  });

  it('skips parked deliveries in the index', async () => {
    const event = openEvent(eventsOfEach, ['wh_1']);
    await whileStored(event, async () => {
      await stored
        .collectionOf('events')
        .updateMany({ _id: { $in: entriesOf(event).map(({ _id }) => _id) } }, [
          { $set: { 'entry.backlog': 'wh_1', 'entry.lane': '-' } },
        ]);
      const pairs = await rescheduled();

      expect([pairs.length, pairs.includes(`${event._id}/wh_1`)]).to.deep.equal([2500, false]);
    });
  });

  it('appends a retry record of a matched delivery only if no process reads its event again', async () => {
    const event = openEvent(eventsOfEach, ['wh_1']);
    const pending = { status: 'pending' as const, nextAttemptAt: null, lastNumber: 0 };
    const matched = { ...event, deliveries: event.deliveries.map((one) => ({ ...one, ...pending })) };
    await whileStored(matched, async () => {
      const isRescheduled = async () => (await rescheduled()).includes(`${event._id}/wh_1`);
      const before = await isRescheduled();
      committed = Number.MAX_SAFE_INTEGER;

      expect([before, await isRescheduled()]).to.deep.equal([false, true]);
    });
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
