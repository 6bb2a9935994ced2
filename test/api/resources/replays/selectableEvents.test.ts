import { expect } from 'chai';

import { createSelectableEvents } from '../../../../api/resources/replays/selectableEvents.js';
import { UnavailableError } from '../../../../shared/core/errors.js';
import { secondsLater, start, testIdentifier } from '../../../support/facts.js';

const scope = {
  accountId: testIdentifier('acct'),
  mode: 'live',
  webhookId: testIdentifier('wh'),
  filter: { since: start, until: secondsLater(1), types: null, only: 'all' },
  subscription: ['*'],
  eventsBelow: [10, 20],
} as const;

interface Log {
  /** The committed offsets of the delivery group, for each read of them. */
  readonly committed?: readonly (readonly (number | null)[])[];
  readonly hasReached?: boolean;
}

/** The log ends at 10 and 20. */
function selectable({ committed = [], hasReached = true }: Log) {
  let asked = 0;
  return createSelectableEvents({
    events: {
      countPage: () => Promise.resolve({ read: 0, counted: 0, last: null }),
      findValues: () => Promise.resolve([]),
    },
    progress: { reached: () => Promise.resolve(hasReached) },
    offsets: { ends: () => Promise.resolve([10, 20]) },
    groups: {
      committed: () => {
        const answer = committed[Math.min(asked, committed.length - 1)] ?? [];
        asked += 1;
        return Promise.resolve(answer);
      },
    },
    deliveryGroup: 'delivery',
  });
}

describe('the events that a replay may select', () => {
  it('end at the end of the log', async () => {
    expect(await selectable({ committed: [[0, 0]] }).below('all')).to.deep.equal([10, 20]);
  });

  it('end at the committed offsets of the delivery group if missing deliveries are selected', async () => {
    expect(await selectable({ committed: [[10, 7]] }).below('missing')).to.deep.equal([10, 7]);
  });

  it('include events whose commit is in progress', async () => {
    const committed = [
      [4, 7],
      [10, 7],
      [10, 20],
    ];

    expect(await selectable({ committed }).below('missing')).to.deep.equal([10, 20]);
  });

  it('are empty if the delivery group has no committed offsets', async () => {
    expect(await selectable({ committed: [[null, null]] }).below('missing')).to.deep.equal([0, 0]);
  });

  it('do not extend beyond the end of the log at the time of the request', async () => {
    expect(await selectable({ committed: [[11, 25]] }).below('missing')).to.deep.equal([10, 20]);
  });

  it('are counted in a model that has read the log up to its end', async () => {
    expect(await selectable({}).count(scope)).to.equal(0);
  });

  it('are not counted if the model is behind for longer than a request may take', async () => {
    const outcome = await selectable({ hasReached: false })
      .count(scope)
      .catch((error: unknown) => error);

    expect(outcome).to.be.instanceOf(UnavailableError);
  });
});
