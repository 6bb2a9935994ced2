import { expect } from 'chai';
import fc from 'fast-check';

import { assignUnits, type MemberClaim } from '../../../../shared/log/group/stickyAssigner.js';
import { itHolds } from '../../../support/itHolds.js';

const unitsBelow = (count: number) => Array.from({ length: count }, (_, unit) => unit);

const memberNames = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 9 });

/** Members that claim anything: units that do not exist, units of others, the same one twice. */
const anyClaims: fc.Arbitrary<readonly MemberClaim[]> = memberNames.chain((names) =>
  fc.tuple(
    ...names.map((memberId) =>
      fc.record({
        memberId: fc.constant(memberId),
        generation: fc.nat(3),
        units: fc.array(fc.integer({ min: -2, max: 40 }), { maxLength: 40, size: 'max' }),
      }),
    ),
  ),
);

const claimsOf = (assigned: ReadonlyMap<string, readonly number[]>, generation: number): MemberClaim[] =>
  [...assigned].map(([memberId, units]) => ({ memberId, generation, units }));

const joining = (names: readonly string[]): MemberClaim[] =>
  names.map((memberId) => ({ memberId, generation: 0, units: [] }));

const sizesOf = (assigned: ReadonlyMap<string, readonly number[]>) =>
  [...assigned.values()].map(({ length }) => length);

/** How many units have another member than before. */
function movesBetween(
  before: ReadonlyMap<string, readonly number[]>,
  after: ReadonlyMap<string, readonly number[]>,
): number {
  return [...after].reduce(
    (sum, [memberId, units]) => sum + units.filter((unit) => !before.get(memberId)?.includes(unit)).length,
    0,
  );
}

describe('a sticky assignment', () => {
  itHolds(
    'gives every unit to exactly one member, whatever the members claim',
    [fc.nat(40), anyClaims],
    (count, claims) => {
      const assigned = [...assignUnits(unitsBelow(count), claims).values()].flat();
      expect(assigned.sort((one, other) => one - other)).to.deep.equal(unitsBelow(count));
    },
  );

  itHolds(
    'gives no member more than one unit more than another, whatever the members claim',
    [fc.nat(40), anyClaims],
    (count, claims) => {
      const sizes = sizesOf(assignUnits(unitsBelow(count), claims));
      expect(Math.max(...sizes) - Math.min(...sizes)).to.be.at.most(1);
    },
  );

  itHolds('does not depend on the order of members and units', [fc.nat(40), anyClaims], (count, claims) => {
    const reversed = assignUnits(unitsBelow(count).reverse(), [...claims].reverse());
    expect(new Map(reversed)).to.deep.equal(new Map(assignUnits(unitsBelow(count), claims)));
  });

  itHolds('moves nothing while the members stay', [fc.nat(40), anyClaims], (count, claims) => {
    const before = assignUnits(unitsBelow(count), claims);
    const after = assignUnits(unitsBelow(count), claimsOf(before, 9));
    expect(movesBetween(before, after)).to.equal(0);
  });

  itHolds(
    'moves the share of a member that joins, and nothing else',
    [fc.nat(40), memberNames],
    (count, names) => {
      const [guest = '', ...others] = names;
      const before = assignUnits(unitsBelow(count), joining(others));
      const after = assignUnits(unitsBelow(count), [...claimsOf(before, 1), ...joining([guest])]);
      const moves = others.length === 0 ? count : Math.floor(count / names.length);
      expect(movesBetween(before, after)).to.equal(moves);
    },
  );

  itHolds(
    'moves the units of a member that leaves, and nothing else',
    [fc.nat(40), memberNames, fc.nat()],
    (count, names, pick) => {
      const leaver = names[pick % names.length] ?? '';
      const before = assignUnits(unitsBelow(count), joining(names));
      const staying = claimsOf(before, 1).filter(({ memberId }) => memberId !== leaver);
      fc.pre(staying.length > 0);
      const after = assignUnits(unitsBelow(count), staying);
      expect(movesBetween(before, after)).to.equal(before.get(leaver)?.length);
    },
  );

  it('moves 3 of 12 units to a fourth member', () => {
    const before = assignUnits(unitsBelow(12), joining(['a', 'b', 'c']));
    const after = assignUnits(unitsBelow(12), [...claimsOf(before, 1), ...joining(['d'])]);
    expect([movesBetween(before, after), after.get('d')?.length]).to.deep.equal([3, 3]);
  });

  it('gives a unit that two members claim to the member of the later generation', () => {
    const claims = [
      { memberId: 'a', generation: 4, units: [0, 1] },
      { memberId: 'b', generation: 5, units: [1, 2] },
    ];
    expect(assignUnits(unitsBelow(4), claims).get('b')).to.deep.equal([1, 2]);
  });
});
