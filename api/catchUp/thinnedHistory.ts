const defaultLimit = 100;

/**
 * A history of at most `limit` entries, the oldest first. If the history is longer, the entry is removed whose
 * neighbors are closest to each other, relative to its age. So the gaps grow with the age, and the oldest and the
 * newest entry are retained.
 * @param timeOf the time of an entry in milliseconds
 */
export function thinned<Entry>(
  history: readonly Entry[],
  timeOf: (entry: Entry) => number,
  limit = defaultLimit,
): readonly Entry[] {
  if (history.length <= limit) {
    return history;
  }
  const times = history.map(timeOf);
  const newest = times.at(-1) ?? 0;
  const gapAt = (index: number) => {
    const [earlier = 0, time = 0, later = 0] = times.slice(index - 1, index + 2);
    return (later - earlier) / Math.max(1, newest - time);
  };
  let closest = 1;
  for (let index = 2; index < history.length - 1; index += 1) {
    closest = gapAt(index) < gapAt(closest) ? index : closest;
  }
  return history.toSpliced(closest, 1);
}
