/** Words that Python reserves. Names that are only built in, such as `type`, can name a field. */
const keywords: ReadonlySet<string> = new Set([
  'from',
  'import',
  'class',
  'global',
  'in',
  'is',
  'not',
  'pass',
  'with',
]);

/**
 * The Python name of a field, a parameter or a method, such as `tenant_id` of `tenantId`. The library derives the name
 * in JSON from it (`camel_case` in `_decode.py`).
 * @throws Error if the name in JSON does not follow from the Python name
 */
export function snakeCase(name: string): string {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const camel = snake.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  if (camel !== name) {
    throw new Error(`${name} does not follow from the Python name ${snake}`);
  }
  return keywords.has(snake) ? `${snake}_` : snake;
}

/** The Python name of a class, such as `EventTypes` of `eventTypes`. */
export function className(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
