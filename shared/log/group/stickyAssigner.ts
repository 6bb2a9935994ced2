import { coPartitioningBy } from './coPartitioning.js';
import { readMemberData } from './memberData.js';

/** Moves a partition to another member only if the members' shares would otherwise differ by more than one. */
export const stickyAssigner = coPartitioningBy('PostriderSticky', (numbers, members) =>
  assignUnits(
    numbers,
    members.map(({ memberId, memberMetadata }) => {
      const { claim } = readMemberData(memberMetadata);
      return { memberId, generation: claim?.generation ?? 0, units: claim?.partitions ?? [] };
    }),
  ),
);

/** The units of a member before a rebalance. A unit is a partition number in all topics. */
export interface MemberClaim {
  readonly memberId: string;
  /**
   * The generation of the consumer group in which the member had its units. If two members claim a unit, the later
   * generation wins.
   */
  readonly generation: number;
  readonly units: readonly number[];
}

/**
 * Assigns units to the members of a group and moves as few as possible.
 *
 * - Each unit has one member, and the numbers of units of two members differ by at most one.
 * - A member retains its units up to its share. Members with the most units get the larger shares.
 * - Equal input in any order gives equal output. A claim may be wrong, so unknown and repeated units are ignored.
 */
export function assignUnits(
  units: readonly number[],
  claims: readonly MemberClaim[],
): ReadonlyMap<string, readonly number[]> {
  const ascending = [...new Set(units)].sort((one, other) => one - other);
  const owners = ownersOf(ascending, claims);
  const members = [...new Set(claims.map(({ memberId }) => memberId))].sort();
  const ownedBy = (memberId: string) => ascending.filter((unit) => owners.get(unit) === memberId);
  const byOwned = members
    .map((memberId) => ({ memberId, owned: ownedBy(memberId) }))
    // The sort is stable, so members with equally many units stay in the order of their ids.
    .sort((one, other) => other.owned.length - one.owned.length);
  const least = Math.floor(ascending.length / Math.max(1, members.length));
  const larger = ascending.length - least * members.length;
  const assigned = byOwned.map(({ memberId, owned }, index) => {
    const share = index < larger ? least + 1 : least;
    return { memberId, share, kept: owned.slice(0, share) };
  });
  const keptUnits = new Set(assigned.flatMap(({ kept }) => kept));
  const free = ascending.filter((unit) => !keptUnits.has(unit));
  return new Map(
    assigned.map(({ memberId, share, kept }) => [
      memberId,
      [...kept, ...free.splice(0, share - kept.length)],
    ]),
  );
}

/**
 * If several members claim a unit, the one with the latest generation wins. If their generations are equal, the lowest
 * member id wins.
 */
function ownersOf(units: readonly number[], claims: readonly MemberClaim[]): ReadonlyMap<number, string> {
  const known = new Set(units);
  const ranked = [...claims].sort(
    (one, other) =>
      other.generation - one.generation ||
      (one.memberId < other.memberId ? -1 : one.memberId > other.memberId ? 1 : 0),
  );
  const owners = new Map<number, string>();
  for (const { memberId, units: claimed } of ranked) {
    for (const unit of claimed) {
      if (known.has(unit) && !owners.has(unit)) {
        owners.set(unit, memberId);
      }
    }
  }
  return owners;
}
