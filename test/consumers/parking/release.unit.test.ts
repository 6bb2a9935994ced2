import { expect } from 'chai';

import { createRelease } from '../../../consumers/parking/release.js';
import type { DeliveryEntry } from '../../../shared/store/models/documents.js';
import { eventually } from '../../support/eventually.js';
import { accountId, pageOf, parkedDeliveries, webhookId } from './parkedDeliveries.js';

/** The release of a partition by a read model that changes only when the test changes it. */
function releaseFrom(entries: DeliveryEntry[]) {
  const attempted: string[] = [];
  const parkedHere = { accountId, tenancy: null, webhookId, home: 0, offsets: { deliveries: 0, events: 0 } };
  const model = { deliveries: 5 };
  let time = 0;
  let examinations = 0;
  const lost = new AbortController();
  const release = createRelease({
    pages: {
      first: (query) => {
        examinations += 1;
        return Promise.resolve(pageOf(entries, query));
      },
      positions: () => Promise.resolve({ deliveries: { 0: model.deliveries }, events: { 0: 5 } }),
      count: () => Promise.resolve(entries.length),
      all: () => Promise.resolve([{ ...parkedHere, parked: entries.length }]),
    },
    known: { add: () => undefined },
    assignments: {
      of: () =>
        Promise.resolve({
          assignedAt: 0,
          predatesAssignment: () => false,
          deliveries: [0],
          deliveriesAfterHandOver: () => Promise.resolve([0]),
        }),
    },
    offsets: { ends: () => Promise.resolve([0]) },
    progress: { reached: () => Promise.resolve(true) },
    states: { contentOf: () => Promise.reject(new Error('no content is expected to be read')) },
    resumeDelivery: ({ identity, progress }) => {
      attempted.push(identity.eventId);
      progress?.recorded('ended', { partition: 0, offset: 7 });
      return Promise.resolve('done');
    },
    tracker: { meanExchangeMs: () => 10 },
    webhookConcurrency: 2,
    mostLoaded: 10,
    now: () => time,
    logger: { warn: () => undefined },
  });
  release.assign({ topic: 'deliveries', partition: 0 }, lost.signal);
  return {
    attempted,
    model,
    /** Lets time pass, and waits until the backlog was read again from its beginning. */
    readAgain: async (laterMs: number) => {
      time += laterMs;
      const before = examinations;
      release.parked(parkedHere);
      await eventually('another page of the backlog', () => (examinations > before ? true : null));
    },
    stop: () => lost.abort(),
  };
}

describe('the release of a parked delivery', () => {
  it('is not repeated while the read model lacks its outcome, however long that takes', async () => {
    const entries = parkedDeliveries(1);
    const { attempted, readAgain, stop } = releaseFrom(entries);
    await eventually('the attempt', () => (attempted.length > 0 ? true : null));
    await readAgain(3_600_000);
    await readAgain(3_600_000);
    stop();

    expect(attempted).to.have.lengthOf(1);
  });

  it('is possible again when the read model contains its outcome, and it is parked again', async () => {
    const { attempted, model, readAgain, stop } = releaseFrom(parkedDeliveries(1));
    await eventually('the attempt', () => (attempted.length > 0 ? true : null));
    model.deliveries = 8;
    await readAgain(1);
    await eventually('the next attempt', () => (attempted.length > 1 ? true : null));
    stop();

    expect(attempted).to.have.lengthOf(2);
  });
});
