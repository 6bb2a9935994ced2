import { expect } from 'chai';
import fc from 'fast-check';

import type { Delivery } from '../../../../shared/domain/deliveries/delivery.js';
import { evolveDelivery } from '../../../../shared/domain/deliveries/evolveDelivery.js';
import type { DeliveryFact } from '../../../../shared/domain/deliveries/deliveryFacts.js';
import { anyDeliveryFact } from '../../../support/arbitraries.js';
import {
  canceled,
  failed,
  failedForGood,
  requested,
  succeeded,
  testEventId,
} from '../../../support/deliveryFacts.js';
import { contextOf, testIdentifier, type InContext } from '../../../support/facts.js';

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

  it('remembers its last hundred replays', () => {
    const facts = Array.from({ length: 101 }, (_, index) =>
      of(testIdentifier('rpl', index), succeeded({ cycle: index + 1, number: index + 1 })),
    );

    expect(outcomesAfter(...facts)?.map(([id]) => id)).to.deep.equal(
      Array.from({ length: 100 }, (_, index) => testIdentifier('rpl', index + 1)),
    );
  });

  it('counts once for each replay, whatever follows', () =>
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 20 }), (facts) => {
        const ids = fold(facts)?.replays?.map(({ replayId }) => replayId) ?? [];
        expect(ids).to.have.lengthOf(new Set(ids).size);
      }),
    ));

  it('counts the same if any of its facts is duplicated', () =>
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 12 }), fc.nat(), fc.nat(), (facts, which, behind) => {
        const index = which % Math.max(1, facts.length);
        const repeated = facts.slice(index, index + 1);
        const place = index + (behind % (facts.length - index + 1)) + repeated.length;
        const twice = [...facts.slice(0, place), ...repeated, ...facts.slice(place)];
        expect(fold(twice)?.replays).to.deep.equal(fold(facts)?.replays);
      }),
    ));
});
