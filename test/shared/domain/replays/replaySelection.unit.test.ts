import { expect } from 'chai';

import { deliveryStatuses, type DeliveryStatus } from '../../../../shared/domain/deliveries/delivery.js';
import {
  replaySelections,
  type ReplayFilter,
  type ReplaySelection,
} from '../../../../shared/domain/replays/replay.js';
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
    tenantId: null,
    webhookId,
    filter: { since: start, until: secondsLater(60), types, only },
    subscription: ['order.completed', 'order.canceled'],
    eventsBelow: [5, 10],
  };
}

function withCodes(
  only: ReplaySelection,
  codes: Pick<ReplayFilter, 'statusCodes' | 'errorCodes'>,
): ReplayScope {
  const scope = scopeOf(only);
  return { ...scope, filter: { ...scope.filter, ...codes } };
}

function candidate(status: DeliveryStatus | null, changes: Partial<ReplayCandidate> = {}): ReplayCandidate {
  return {
    id: testIdentifier('evt'),
    type: 'order.completed',
    created: start,
    onlyWebhookId: null,
    tenantId: null,
    source: { partition: 1, offset: 9 },
    delivery: status === null ? null : { status, cycle: 0, error: null },
    ...changes,
  };
}

const selected: Readonly<Record<ReplaySelection, readonly (DeliveryStatus | null)[]>> = {
  failed: ['failed', 'canceled'],
  missing: [null],
  all: [null, ...deliveryStatuses],
  open: ['pending', 'retrying'],
  undelivered: [null, 'pending', 'retrying', 'failed', 'canceled'],
};

describe('isSelected', () => {
  for (const only of replaySelections) {
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

  it('ignores an event without a delivery if the webhook does not subscribe to its type', () => {
    const unsubscribed = candidate(null, { type: 'user.signup' });
    const sent = candidate('failed', { type: 'user.signup' });

    expect([
      isSelected(unsubscribed, scopeOf('undelivered')),
      isSelected(sent, scopeOf('undelivered')),
    ]).to.deep.equal([false, true]);
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

describe('isSelected: the codes of a delivery', () => {
  for (const [codes, isIt] of [
    [{ statusCodes: [500] }, true],
    [{ statusCodes: [404, 500] }, true],
    [{ statusCodes: [404] }, false],
    [{ errorCodes: ['http_status'] }, true],
    [{ errorCodes: ['timeout'] }, false],
    [{ statusCodes: [500], errorCodes: ['http_status'] }, true],
    [{ statusCodes: [500], errorCodes: ['timeout'] }, false],
    [{ errorCodes: ['webhook_disabled'] }, true],
  ] as const) {
    it(`${isIt ? 'selects' : 'ignores'} a canceled delivery with an answer 500 for ${JSON.stringify(codes)}`, () => {
      const last = { at: start, statusCode: 500, errorCode: 'http_status' } as const;
      const error = { code: 'webhook_disabled', message: '' } as const;
      const delivery = { status: 'canceled', cycle: 0, error, last } as const;

      expect(isSelected(candidate(null, { delivery }), withCodes('failed', codes))).to.equal(isIt);
    });
  }

  for (const status of [null, 'canceled'] as const) {
    it(`ignores an event with codes if ${status === null ? 'no delivery exists' : 'no attempt was made'}`, () => {
      const codes = { errorCodes: ['webhook_disabled'] } as const;

      expect(isSelected(candidate(status), withCodes('undelivered', codes))).to.equal(false);
    });
  }
});

describe('isHandedOver', () => {
  const replays = [{ replayId: testIdentifier('rpl', 1), cycle: 1, outcome: 'done' }] as const;
  const delivered = candidate(null, { delivery: { status: 'delivered', cycle: 2, replays, error: null } });

  it('is true for an earlier replay of the delivery, after later cycles', () => {
    expect(isHandedOver(delivered, testIdentifier('rpl', 1))).to.equal(true);
  });

  it('is false for another replay', () => {
    expect(isHandedOver(delivered, testIdentifier('rpl', 2))).to.equal(false);
  });

  it('is true for each of several replays', () => {
    const another = { replayId: testIdentifier('rpl', 2), cycle: 2, outcome: 'done' } as const;
    const delivery = { status: 'delivered', cycle: 2, replays: [...replays, another], error: null } as const;
    const known = replays.map(({ replayId }) => isHandedOver(candidate(null, { delivery }), replayId));

    expect(known).to.deep.equal([true]);
  });

  it('is false for a delivery that was never replayed', () => {
    const delivery = { status: 'delivered', cycle: 0, error: null } as const;

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
    ['any type for open deliveries', scopeOf('open'), null],
    ['any type for undelivered events', scopeOf('undelivered'), null],
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

describe('isSelected, for a webhook of a tenant', () => {
  const scope: ReplayScope = { ...scopeOf('missing'), tenantId: 'customer-1', tenantFrom: [0, 5] };
  const ofTenant = (tenantId: string | null, offset = 9) =>
    candidate(null, { tenantId, source: { partition: 1, offset } });

  it('selects events of the tenant only, from the beginning of its life', () => {
    const candidates = [
      ofTenant('customer-1'),
      ofTenant('customer-1', 4),
      ofTenant('customer-2'),
      ofTenant(null),
    ];
    expect(candidates.map((one) => isSelected(one, scope))).to.deep.equal([true, false, false, false]);
  });

  it('selects every event for a webhook of every tenant', () => {
    const everyTenant = { ...scopeOf('missing'), tenantId: '*' };
    expect([ofTenant('customer-1'), ofTenant(null)].map((one) => isSelected(one, everyTenant))).to.deep.equal(
      [true, true],
    );
  });

  it('selects no event of a tenant for a webhook without a tenant', () => {
    expect(
      [ofTenant('customer-1'), ofTenant(null)].map((one) => isSelected(one, scopeOf('missing'))),
    ).to.deep.equal([false, true]);
  });
});
