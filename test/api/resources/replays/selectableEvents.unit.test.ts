import { expect } from 'chai';

import { createSharedTurns } from '../../../../shared/concurrency/sharedTurns.js';
import { createFilters } from '../../../../shared/filters/filters.js';
import { createSelectableEvents } from '../../../../api/resources/replays/selectableEvents.js';
import type { ReplayFilter, ReplaySelection } from '../../../../shared/domain/replays/replay.js';
import { UnavailableError } from '../../../../shared/core/errors.js';
import { secondsLater, start, testIdentifier } from '../../../support/facts.js';

const scope = {
  accountId: testIdentifier('acct'),
  mode: 'live',
  tenantId: null,
  webhookId: testIdentifier('wh'),
  filter: { since: start, until: secondsLater(1), types: null, only: 'all' },
  subscription: ['*'],
  eventsBelow: [10, 20],
} as const;

interface Log {
  /** The taken-up offsets of the delivery group, for each snapshot. */
  readonly takenUp?: readonly (readonly (number | null)[])[];
  readonly hasReached?: boolean;
}

const filterOf = (only: ReplaySelection): ReplayFilter => ({ ...scope.filter, only });

/** A webhook from before all events. */
const webhook = { eventsFrom: [0, 0] };

/** The log ends at 10 and 20. */
function selectable({ takenUp = [], hasReached = true }: Log) {
  let asked = 0;
  return createSelectableEvents({
    events: {
      countPage: () => Promise.resolve({ read: 0, counted: 0, first: null, last: null }),
      findPage: () => Promise.resolve([]),
      findValues: () => Promise.resolve([]),
    },
    filters: createFilters({ turns: createSharedTurns(), seconds: { observe: () => undefined } }),
    progress: { reached: () => Promise.resolve(hasReached) },
    commitPatienceMs: 250,
    offsets: { ends: () => Promise.resolve([10, 20]) },
    takenUp: {
      snapshot: () => {
        const offsets = takenUp[Math.min(asked, takenUp.length - 1)] ?? [];
        asked += 1;
        return Promise.resolve({
          ...{ time: start, ends: [10, 20], takenUpAt: [null, null], deliveries: [0, 0] },
          ...{ committed: offsets, takenUp: offsets.map((offset) => offset ?? 0) },
        });
      },
    },
  });
}

describe('the events that a replay may select', () => {
  it('end at the end of the log', async () => {
    expect(await selectable({ takenUp: [[0, 0]] }).below(filterOf('failed'), webhook)).to.deep.equal([
      10, 20,
    ]);
  });

  it('end at the taken-up offsets if all events are selected, because later ones get their own delivery', async () => {
    expect(await selectable({ takenUp: [[10, 7]] }).below(filterOf('all'), webhook)).to.deep.equal([10, 7]);
  });

  it('end at the end of the log if codes select events with an attempt', async () => {
    const filter = { ...filterOf('all'), statusCodes: [500] };
    expect(await selectable({ takenUp: [[0, 0]] }).below(filter, webhook)).to.deep.equal([10, 20]);
  });

  it('include events from before the webhook that delivery has not read, which get no own delivery', async () => {
    const young = { eventsFrom: [9, 25] };
    expect(await selectable({ takenUp: [[0, 0]] }).below(filterOf('all'), young)).to.deep.equal([9, 20]);
  });

  it('end at the taken-up offsets of the delivery group if missing deliveries are selected', async () => {
    expect(await selectable({ takenUp: [[10, 7]] }).below(filterOf('missing'), webhook)).to.deep.equal([
      10, 7,
    ]);
  });

  it('end at the taken-up offsets too if undelivered events are selected', async () => {
    expect(await selectable({ takenUp: [[10, 7]] }).below(filterOf('undelivered'), webhook)).to.deep.equal([
      10, 7,
    ]);
  });

  it('include events whose commit is in progress', async () => {
    const takenUp = [
      [4, 7],
      [10, 7],
      [10, 20],
    ];

    expect(await selectable({ takenUp }).below(filterOf('missing'), webhook)).to.deep.equal([10, 20]);
  });

  it('are empty if the delivery group has no committed offsets', async () => {
    expect(await selectable({ takenUp: [[null, null]] }).below(filterOf('missing'), webhook)).to.deep.equal([
      0, 0,
    ]);
  });

  it('do not extend beyond the end of the log at the time of the request', async () => {
    expect(await selectable({ takenUp: [[11, 25]] }).below(filterOf('missing'), webhook)).to.deep.equal([
      10, 20,
    ]);
  });

  it('are counted in a model that has read the log up to its end', async () => {
    expect(await selectable({}).count(scope)).to.deep.equal({ matched: 0, complete: true });
  });

  it('are not counted if the model is behind for longer than a request may take', async () => {
    const outcome = await selectable({ hasReached: false })
      .count(scope)
      .catch((error: unknown) => error);

    expect(outcome).to.be.instanceOf(UnavailableError);
  });
});
