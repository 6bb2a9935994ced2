import { isEventType, maximumTypeLength } from './event.js';

/**
 * A pattern of event types: a type, `order.*` for every type below `order` (`order.completed`, `order.item.added`, but
 * not `order`), or `*` for every type.
 */
export const everyType = '*';

const below = '.*';

/** Whether the text is an event type, or a prefix of types such as `order.*`. `*` alone is no such pattern. */
export function isTypePattern(text: string): boolean {
  return (
    isEventType(text.endsWith(below) ? text.slice(0, -below.length) : text) &&
    text.length <= maximumTypeLength
  );
}

/** The beginning of the types that a prefix pattern matches, such as `order.`. Null if the pattern is a single type. */
export function prefixOf(pattern: string): string | null {
  return pattern.endsWith(below) ? pattern.slice(0, -1) : null;
}

/** The first text behind all types with a prefix. In ASCII, a slash follows the dot that ends the prefix. */
export function endOfPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)}/`;
}

export function matchesAny(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) => covers(pattern, type));
}

/**
 * The patterns that match exactly the types which both lists match. Of two patterns that overlap, one contains the
 * other: each pattern is a type or everything below a prefix.
 */
export function commonPatterns(some: readonly string[], others: readonly string[]): readonly string[] {
  const narrower = (patterns: readonly string[], wider: readonly string[]) =>
    patterns.filter((pattern) => wider.some((one) => covers(one, pattern)));
  return [...new Set([...narrower(some, others), ...narrower(others, some)])];
}

/** Whether every type of the second pattern is one of the first. */
function covers(pattern: string, other: string): boolean {
  const prefix = prefixOf(pattern);
  return pattern === everyType || pattern === other || (prefix !== null && other.startsWith(prefix));
}
