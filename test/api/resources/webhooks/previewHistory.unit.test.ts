import { expect } from 'chai';
import { Binary } from 'mongodb';

import { eventSelection } from '../../../../api/resources/events/eventFilter.js';
import {
  createPreviewHistory,
  type PreviewHistoryDependencies,
} from '../../../../api/resources/webhooks/previewHistory.js';
import { defaultScanLimits } from '../../../../api/scans/scanSlices.js';
import { createSharedTurns } from '../../../../shared/concurrency/sharedTurns.js';
import { createFilters } from '../../../../shared/filters/filters.js';
import { eventDocument } from '../../support/storedEvents.js';

type Events = PreviewHistoryDependencies['events'];

const event = { accountId: 'acct_1', mode: 'live' as const, type: 'a', created: new Date(0), deliveries: [] };

/** Stored events of which every second one has the amount 1. */
function storedEvents(count: number): Events {
  const all = Array.from({ length: count }, (_, at) => ({
    ...eventDocument({ ...event, id: `evt_${String(at)}` }),
    ...{
      onlyWebhookId: null,
      created: event.created,
      data: new Binary(Buffer.from(`{"amount":${String(at % 2)}}`)),
    },
  }));
  let [served, sliceEnd] = [0, 0];
  return {
    countPage: ({ limit }) => {
      sliceEnd = Math.min(count, served + limit);
      const [first = null, last = null] = [all[served], served === sliceEnd ? null : all[sliceEnd - 1]];
      return Promise.resolve({ read: sliceEnd - served, counted: 0, first, last });
    },
    findListPage: ({ limit }) => {
      // MongoDB would read all.
      expect(limit).to.be.above(0);
      const documents = all.slice(served, Math.min(sliceEnd, served + limit));
      served += documents.length;
      return Promise.resolve({ documents, hasMore: served < sliceEnd });
    },
    findValues: () => Promise.resolve([]),
  };
}

function historyOf(count: number, now: () => number) {
  const history = createPreviewHistory({
    events: storedEvents(count),
    selectEvents: eventSelection,
    filters: createFilters({ turns: createSharedTurns(), seconds: { observe: () => undefined } }),
    limits: { ...defaultScanLimits, now },
    progress: { reached: () => Promise.resolve(true) },
    offsets: { ends: () => Promise.resolve([]) },
  });
  return history({
    caller: { accountId: 'acct_1', mode: 'live', tenant: null },
    webhook: { events: ['*'], tenantId: '*' },
    since: new Date(0),
    filter: '{"data":{"amount":1}}',
  });
}

describe('the preview of a filter', () => {
  it('checks all events, and has the newest ten of each kind as samples', async () => {
    const { samples, ...counts } = await historyOf(300, () => 0);
    expect(counts).to.deep.equal({ checked: 300, matched: 150, failed: 0, complete: true });
    expect(samples.map(({ eventId, matches, condition }) => [eventId, matches, condition])).to.deep.equal(
      Array.from({ length: 20 }, (_, at) => [
        ...[`evt_${String(at)}`, at % 2 === 1, at % 2 === 1 ? null : 'filter.data.amount'],
      ]),
    );
  });

  it('ends with the newest 10,000 events', async () => {
    const counts = await historyOf(12_000, () => 0);
    expect(counts).to.deep.include({ checked: 10_000, matched: 5_000, complete: true });
  });

  it('ends when its time has passed, with what it has checked', async () => {
    let time = 0;
    const { checked, complete } = await historyOf(12_000, () => (time += 1));
    expect(checked).to.be.within(1, 2_000);
    expect(complete).to.equal(false);
  });
});
