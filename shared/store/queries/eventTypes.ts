import type { Mode } from '../../domain/core/fact.js';
import { endOfPrefix, matchesAny, prefixOf } from '../../domain/events/eventPattern.js';
import type { EventDocument } from '../models/documents.js';
import { eventIndexes } from '../models/indexes.js';
import type { ReadModel } from '../models/readModels.js';

/**
 * The most types whose events MongoDB reads in the order of the index by type. It merges one range for each type, and
 * sorts in memory if there are more than 200 ranges (parameter `internalQueryMaxScansToExplode`).
 */
export const maximumMergedTypes = 200;

/** The condition of a field whose texts match a pattern: a text, or a prefix such as `order.*`. */
export function patternCondition(pattern: string): string | { readonly $gte: string; readonly $lt: string } {
  const prefix = prefixOf(pattern);
  return prefix === null ? pattern : { $gte: prefix, $lt: endOfPrefix(prefix) };
}

/**
 * The types of an account's events that match patterns. A list reads the range of each type, because a range of a
 * prefix is not in the order of the list. Patterns without a prefix are types, and need no read.
 * @throws UnavailableError if the model is unavailable or incomplete
 */
export async function typesMatching(
  events: Pick<ReadModel<EventDocument>, 'findValues'>,
  { accountId, mode }: { readonly accountId: string; readonly mode: Mode },
  patterns: readonly string[],
): Promise<readonly string[]> {
  const prefixes = patterns.map(prefixOf).filter((prefix) => prefix !== null);
  if (prefixes.length === 0) {
    return patterns;
  }
  // `order.` is the first of these prefixes and has the last end, if the other one is `order.item.`.
  const [first = ''] = prefixes.toSorted();
  const end = prefixes.map(endOfPrefix).toSorted().at(-1);
  const found = await events.findValues({
    field: 'type',
    filter: { accountId, mode, type: { $gte: first, $lt: end } },
    index: eventIndexes.byType.key,
    share: accountId,
  });
  const single = patterns.filter((pattern) => prefixOf(pattern) === null);
  return [...new Set([...single, ...found.filter((type) => matchesAny(patterns, type))])];
}
