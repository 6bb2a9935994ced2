/**
 * The value of a parameter of the query, which is left out if it is undefined, and repeated for each item of a list. Only
 * the filter by tenant may be null.
 */
export type QueryValue = string | number | boolean | Date | readonly (string | number)[] | null | undefined;

/** The parameters of a query. */
export type Query = Readonly<Record<string, QueryValue>>;

/**
 * The path of a resource, in which each value is one segment, whatever its characters are.
 * @throws TypeError if a value is empty, `.` or `..`, because the path would be that of another resource
 */
export function path(parts: TemplateStringsArray, ...values: readonly unknown[]): string {
  return String.raw({ raw: parts }, ...values.map(segmentOf));
}

function segmentOf(value: unknown): string {
  if (typeof value !== 'string' || ['', '.', '..'].includes(value)) {
    throw new TypeError(`${JSON.stringify(value)} is no id or name of a resource. Pass it as a text.`);
  }
  return encodeURIComponent(value);
}

/** The filter that selects what has no tenant if it is null. */
const tenantFilter = 'tenantId';

/**
 * The query with its question mark, or an empty text.
 * @throws TypeError if a value is null, which could mean any value or no value
 */
export function searchOf(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    listOf(value).map((each): [string, string] => [name, textOf(name, each)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

function textOf(name: string, value: string | number | boolean | Date | null): string {
  if (value === null && name !== tenantFilter) {
    throw new TypeError(`${name} is null. Leave it out, or pass undefined.`);
  }
  return value instanceof Date ? value.toISOString() : String(value);
}

function listOf(value: QueryValue): readonly (string | number | boolean | Date | null)[] {
  if (value === undefined) {
    return [];
  }
  return value === null || value instanceof Date || typeof value !== 'object' ? [value] : value;
}
