import { expect } from 'chai';

import { createHasExpired } from '../../../cli/rebuild/documentComparison.js';
import type { DeliveryStatus } from '../../../shared/domain/deliveries/delivery.js';
import type { ModelDocument } from '../../../shared/store/models/documents.js';
import { eventDocument } from '../../api/support/storedEvents.js';
import { secondsLater, start, testIdentifier } from '../../support/facts.js';

const hourMs = 3_600_000;
const id = testIdentifier('evt');
const old = secondsLater(7200);
const hasExpired = createHasExpired('events', hourMs, old);

function event(...statuses: readonly DeliveryStatus[]) {
  const deliveries = statuses.map((status) => ['wh_1', status] as const);
  return eventDocument({ accountId: 'acct_1', id, type: 'a.b', created: start, deliveries });
}

function pair(left: ModelDocument | null, right: ModelDocument | null) {
  return { id, left, right };
}

describe('the expired documents in a check of a model', () => {
  it('include an old event that was removed', () => {
    expect(hasExpired(pair(null, event('delivered')))).to.equal(true);
  });

  it('include an old event of which only a late outcome is left', () => {
    const { source: _, ...late } = event('canceled');

    expect(hasExpired(pair(late, event('delivered', 'canceled')))).to.equal(true);
  });

  it('exclude a lost event with an open delivery', () => {
    expect(hasExpired(pair(null, event('delivered', 'retrying')))).to.equal(false);
  });

  it('exclude a lost event that is too young', () => {
    expect(createHasExpired('events', hourMs, start)(pair(null, event()))).to.equal(false);
  });

  it('exclude a lost event if events never expire', () => {
    expect(createHasExpired('events', null, old)(pair(null, event()))).to.equal(false);
  });

  it('exclude an event that is missing in the log', () => {
    expect(hasExpired(pair(event(), null))).to.equal(false);
  });

  it('exclude an event that differs from the log', () => {
    expect(hasExpired(pair(event(), event('delivered')))).to.equal(false);
  });

  for (const [what, eventId, isExpired] of [
    ['of an old event', id, true],
    ['of another event', testIdentifier('evt', 3), false],
  ] as const) {
    it(`include or exclude an attempt by the age of its event: ${what}`, () => {
      const attempt = { _id: 'att_1', positions: {}, eventId };
      const now = isExpired ? old : start;

      expect(createHasExpired('attempts', hourMs, now)({ id: 'att_1', left: null, right: attempt })).to.equal(
        isExpired,
      );
    });
  }
});
