import { expect } from 'chai';

import { createHasExpired } from '../../../cli/rebuild/expiredDocuments.js';
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

describe('cli/rebuild/expiredPairs', () => {
  it('knows an old event that was removed', () => {
    expect(hasExpired(pair(null, event('delivered')))).to.equal(true);
  });

  it('knows one of which only a late outcome is there', () => {
    const { source: _, ...late } = event('canceled');

    expect(hasExpired(pair(late, event('delivered', 'canceled')))).to.equal(true);
  });

  it('takes one for lost of which a delivery is open', () => {
    expect(hasExpired(pair(null, event('delivered', 'retrying')))).to.equal(false);
  });

  it('takes one for lost that is too young', () => {
    expect(createHasExpired('events', hourMs, start)(pair(null, event()))).to.equal(false);
  });

  it('takes one for lost where nothing expires', () => {
    expect(createHasExpired('events', null, old)(pair(null, event()))).to.equal(false);
  });

  it('takes none for expired that the log does not have', () => {
    expect(hasExpired(pair(event(), null))).to.equal(false);
  });

  it('takes none for expired that is there and differs', () => {
    expect(hasExpired(pair(event(), event('delivered')))).to.equal(false);
  });

  for (const [what, eventId, isExpired] of [
    ['an old event', id, true],
    ['one that is not', testIdentifier('evt', 3), false],
  ] as const) {
    it(`goes by the event of an attempt: ${what}`, () => {
      const attempt = { _id: 'att_1', positions: {}, eventId };
      const now = isExpired ? old : start;

      expect(createHasExpired('attempts', hourMs, now)({ id: 'att_1', left: null, right: attempt })).to.equal(
        isExpired,
      );
    });
  }
});
