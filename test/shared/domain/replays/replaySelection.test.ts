import { expect } from 'chai';

import { deliveryStatuses, type DeliveryStatus } from '../../../../shared/domain/deliveries/delivery.js';
import type { ReplaySelection } from '../../../../shared/domain/replays/replay.js';
import {
  isHandedOver,
  isSelected,
  typesInScope,
  type ReplayCandidate,
  type ReplayScope,
} from '../../../../shared/domain/replays/replaySelection.js';
import { secondsLater, start, testIdentifier } from '../../../support/facts.js';

const webhookId = testIdentifier('wh');

function scopeOf(only: ReplaySelection, types: readonly string[] | null = null): ReplayScope {
  return {
    accountId: testIdentifier('acct'),
    mode: 'live',
    webhookId,
    filter: { since: start, until: secondsLater(60), types, only },
    subscription: ['order.completed', 'order.canceled'],
    eventsBelow: [5, 10],
  };
}

function candidate(status: DeliveryStatus | null, changes: Partial<ReplayCandidate> = {}): ReplayCandidate {
  return {
    id: testIdentifier('evt'),
    created: start,
    onlyWebhookId: null,
    source: { partition: 1, offset: 9 },
    delivery: status === null ? null : { status, cycle: 0 },
    ...changes,
  };
}

const selected: Readonly<Record<ReplaySelection, readonly (DeliveryStatus | null)[]>> = {
  failed: ['failed', 'canceled'],
  missing: [null],
  all: [null, ...deliveryStatuses],
};

describe('isSelected', () => {
  for (const only of ['failed', 'missing', 'all'] as const) {
    for (const status of [null, ...deliveryStatuses]) {
      const isIt = selected[only].includes(status);
      it(`${isIt ? 'selects' : 'ignores'} an event ${status ?? 'without a delivery'} for ${only}`, () => {
        expect(isSelected(candidate(status), scopeOf(only))).to.equal(isIt);
      });
    }
  }

  it('ignores test deliveries', () => {
    const test = candidate(null, { onlyWebhookId: webhookId });

    expect([isSelected(test, scopeOf('missing')), isSelected(test, scopeOf('all'))]).to.deep.equal([
      false,
      false,
    ]);
  });

  for (const [place, source, isIt] of [
    ['below the end of its partition', { partition: 0, offset: 4 }, true],
    ['at the end of its partition', { partition: 0, offset: 5 }, false],
    ['in a partition that the replay does not know', { partition: 2, offset: 0 }, false],
  ] as const) {
    it(`${isIt ? 'selects' : 'ignores'} an event ${place}`, () => {
      expect(isSelected(candidate('failed', { source }), scopeOf('all'))).to.equal(isIt);
    });
  }
});

describe('isHandedOver', () => {
  const replays = [{ replayId: testIdentifier('rpl', 1), cycle: 1, outcome: 'done' }] as const;
  const delivered = candidate(null, { delivery: { status: 'delivered', cycle: 2, replays } });

  it('is true for an earlier replay of the delivery, after later cycles', () => {
    expect(isHandedOver(delivered, testIdentifier('rpl', 1))).to.equal(true);
  });

  it('is false for another replay', () => {
    expect(isHandedOver(delivered, testIdentifier('rpl', 2))).to.equal(false);
  });

  it('is true for each of several replays', () => {
    const another = { replayId: testIdentifier('rpl', 2), cycle: 2, outcome: 'done' } as const;
    const delivery = { status: 'delivered', cycle: 2, replays: [...replays, another] } as const;
    const known = replays.map(({ replayId }) => isHandedOver(candidate(null, { delivery }), replayId));

    expect(known).to.deep.equal([true]);
  });

  it('is false for a delivery that was never replayed', () => {
    const delivery = { status: 'delivered', cycle: 0 } as const;

    expect(isHandedOver(candidate(null, { delivery }), testIdentifier('rpl', 1))).to.equal(false);
  });

  it('is false for an event without a delivery', () => {
    expect(isHandedOver(candidate(null), testIdentifier('rpl', 1))).to.equal(false);
  });
});

describe('typesInScope', () => {
  for (const [what, scope, types] of [
    [
      'the subscription of the webhook for missing deliveries',
      scopeOf('missing'),
      ['order.completed', 'order.canceled'],
    ],
    [
      'the requested types that the webhook subscribes to for all deliveries',
      scopeOf('all', ['order.completed', 'user.signup']),
      ['order.completed'],
    ],
    ['any type for failed deliveries', scopeOf('failed'), null],
    [
      'the requested types for failed deliveries, also without a subscription',
      scopeOf('failed', ['user.signup']),
      ['user.signup'],
    ],
    [
      'the requested types that a pattern of the webhook covers',
      { ...scopeOf('all', ['order.completed', 'user.signup']), subscription: ['order.*'] },
      ['order.completed'],
    ],
    [
      'the types of the webhook that a requested pattern covers',
      scopeOf('missing', ['order.*']),
      [...['order.completed', 'order.canceled']],
    ],
    ['any type if the webhook subscribes to all', { ...scopeOf('all'), subscription: ['*'] }, null],
  ] as const) {
    it(`is ${what}`, () => {
      expect(typesInScope(scope)).to.deep.equal(types);
    });
  }
});
