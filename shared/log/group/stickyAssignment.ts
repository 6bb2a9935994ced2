/** What a member of a group had before a rebalance. */
export interface MemberClaim {
  readonly memberId: string;
  /** The generation of the group in which it had these units; a later one is right where two members claim the same. */
  readonly generation: number;
  readonly units: readonly number[];
}

/**
 * Shares units among the members of a group so that as few as possible move.
 *
 * - Every unit has one member, and the numbers of units of two members differ by one at most.
 * - A member keeps what it had, up to its share. Those that had most get the larger shares.
 * - Equal input gives equal output, in whatever order it comes. Claims may be wrong: unknown units and repeated ones are ignored.
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
    // Stable: members that had equally many stay in the order of their ids.
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

/** Of several members that claim a unit it belongs to the one of the latest generation; of those, to the lowest id. */
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
