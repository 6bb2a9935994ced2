import { expect } from 'chai';
import fc from 'fast-check';

import type { Delivery } from '../../../../shared/domain/deliveries/delivery.js';
import { evolveDelivery } from '../../../../shared/domain/deliveries/evolveDelivery.js';
import type { DeliveryFact } from '../../../../shared/domain/deliveries/deliveryFacts.js';
import { anyDeliveryFact } from '../../../support/arbitraries.js';
import {
  canceled,
  canceledWithReplay,
  failed,
  failedForGood,
  requested,
  requestedByReplay,
  succeeded,
  testEventId,
} from '../../../support/deliveryFacts.js';
import { contextOf, testIdentifier, type InContext } from '../../../support/facts.js';
import { itHolds } from '../../../support/itHolds.js';

type Fact = InContext<DeliveryFact>;

const one = testIdentifier('rpl', 1);
const other = testIdentifier('rpl', 2);

/** The same fact, of a replay. */
function of(replayId: string, fact: Fact): Fact {
  return { ...fact, value: { ...fact.value, replayId } } as Fact;
}

function fold(facts: readonly Fact[]): Delivery | null {
  return facts.reduce<Delivery | null>(evolveDelivery, null);
}

/** Each replay of the delivery with its outcome. */
function outcomesAfter(...facts: readonly Fact[]) {
  return fold(facts)?.replays?.map(({ replayId, outcome }) => [replayId, outcome]);
}

const anyFact: fc.Arbitrary<Fact> = fc
  .tuple(anyDeliveryFact, fc.constantFrom(null, one, other))
  .map(
    ([fact, replayId]) =>
      ({ ...fact, value: { ...fact.value, replayId }, context: contextOf(testEventId) }) as Fact,
  );

describe('A replayed delivery', () => {
  for (const [status, outcome, facts] of [
    ['asked for', 'pending', []],
    ['retried', 'retrying', [failed({ cycle: 1 })]],
    ['delivered', 'done', [succeeded({ cycle: 1 })]],
    ['delivered after a failure', 'done', [failed({ cycle: 1 }), succeeded({ cycle: 1, number: 2 })]],
    ['given up', 'failed', [failedForGood({ cycle: 1 })]],
    ['canceled', 'failed', [canceled(1)]],
  ] as const) {
    it(`is ${outcome} for its replay if it is ${status}`, () => {
      const all = [requested(1), ...facts].map((fact) => of(one, fact));

      expect(outcomesAfter(failedForGood(), ...all)).to.deep.equal([[one, outcome]]);
    });
  }

  it('has no replay if none requested it', () => {
    expect(fold([failedForGood(), requested(1)])).not.to.have.property('replays');
  });

  it('keeps its outcome for one replay while another one delivers it again', () => {
    const facts = [of(one, requested(1)), of(one, succeeded({ cycle: 1 })), of(other, requested(2))];

    expect(outcomesAfter(...facts)).to.deep.equal([
      [one, 'done'],
      [other, 'pending'],
    ]);
  });

  it('counts for both if the second replay replaces the cycle of the first one', () => {
    const facts = [
      of(one, requested(1)),
      of(other, requested(2)),
      of(other, succeeded({ cycle: 2, number: 1 })),
    ];

    expect(outcomesAfter(...facts)).to.deep.equal([
      [one, 'done'],
      [other, 'done'],
    ]);
  });

  it('counts for its replay if a resend replaces its cycle', () => {
    expect(
      outcomesAfter(of(one, requested(1)), requested(2), succeeded({ cycle: 2, number: 1 })),
    ).to.deep.equal([[one, 'done']]);
  });

  it('does not count the outcome of a resend after the end', () => {
    const facts = [of(one, requested(1)), of(one, failedForGood({ cycle: 1 })), requested(2)];

    expect(outcomesAfter(...facts, succeeded({ cycle: 2, number: 2 }))).to.deep.equal([[one, 'failed']]);
  });

  it('is delivered if a success follows the last failure of its cycle', () => {
    const facts = [
      of(one, requested(1)),
      of(one, failedForGood({ cycle: 1 })),
      of(one, succeeded({ cycle: 1 })),
    ];

    expect(outcomesAfter(...facts)).to.deep.equal([[one, 'done']]);
  });

  describe('whose next attempt several requests share', () => {
    const third = testIdentifier('rpl', 3);
    const sharing = [of(one, requested(1)), of(other, requested(2)), of(third, requested(3))];
    const answered = of(third, succeeded({ cycle: 3, number: 1 }));
    /** The replays of the delivery that have joined another request. */
    const joinedAfter = (...facts: readonly Fact[]) =>
      fold(facts)?.replays?.flatMap(({ replayId, joined = false }) => (joined ? [replayId] : []));

    it('has joined the last request for all replays but the last', () => {
      expect(joinedAfter(...sharing, answered)).to.deep.equal([one, other]);
    });

    it('has joined the first request if all have requested one cycle', () => {
      const sameCycle = [one, other, third].map((replayId) => of(replayId, requested(1)));

      expect(joinedAfter(...sameCycle, of(one, succeeded({ cycle: 1 })))).to.deep.equal([other, third]);
    });

    it('has joined a resend', () => {
      expect(
        joinedAfter(of(one, requested(1)), requested(2), succeeded({ cycle: 2, number: 1 })),
      ).to.deep.equal([one]);
    });

    it('has not joined if its own attempt was in flight, or is retried', () => {
      const inFlight = of(one, succeeded({ cycle: 1 }));
      const retried = [of(one, requested(1)), of(one, failed({ cycle: 1 })), requested(2)];

      expect([
        joinedAfter(of(one, requested(1)), requested(2), inFlight, succeeded({ cycle: 2, number: 1 })),
        joinedAfter(...retried, succeeded({ cycle: 2, number: 2 })),
      ]).to.deep.equal([[], []]);
    });

    it('has not joined a replay that was canceled', () => {
      const [first, second] = [of(one, requestedByReplay(1, one)), of(other, requestedByReplay(2, other))];
      const attempt = of(one, succeeded({ cycle: 2, number: 1 }));

      expect([
        joinedAfter(first, second),
        joinedAfter(first, second, canceledWithReplay(2, other), attempt),
      ]).to.deep.equal([[one], []]);
    });

    it('does not join later what has ended before', () => {
      const ended = [of(one, requested(1)), of(one, succeeded({ cycle: 1 }))];

      expect(joinedAfter(...ended, of(other, requested(2)))).to.deep.equal([]);
    });
  });

  it('remembers its last hundred replays', () => {
    const facts = Array.from({ length: 101 }, (_, index) =>
      of(testIdentifier('rpl', index), succeeded({ cycle: index + 1, number: index + 1 })),
    );

    expect(outcomesAfter(...facts)?.map(([id]) => id)).to.deep.equal(
      Array.from({ length: 100 }, (_, index) => testIdentifier('rpl', index + 1)),
    );
  });

  itHolds(
    'counts once for each replay, whatever follows',
    [fc.array(anyFact, { maxLength: 20 })],
    (facts) => {
      const ids = fold(facts)?.replays?.map(({ replayId }) => replayId) ?? [];
      expect(ids).to.have.lengthOf(new Set(ids).size);
    },
  );

  itHolds(
    'counts the same if any of its facts is duplicated',
    [fc.array(anyFact, { maxLength: 12 }), fc.nat(), fc.nat()],
    (facts, which, behind) => {
      const index = which % Math.max(1, facts.length);
      const repeated = facts.slice(index, index + 1);
      const place = index + (behind % (facts.length - index + 1)) + repeated.length;
      const twice = [...facts.slice(0, place), ...repeated, ...facts.slice(place)];
      expect(fold(twice)?.replays).to.deep.equal(fold(facts)?.replays);
    },
  );
});
