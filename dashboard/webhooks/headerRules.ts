import type { Webhook } from '../api/types.js';

/** A line of the form for custom headers. */
export interface HeaderLine {
  readonly name: string;
  /** The new value. An empty text keeps the value of a stored header, which the service does not show. */
  readonly value: string;
  /** Whether the webhook has the header already. */
  readonly isStored: boolean;
}

type ShownHeaders = Webhook['headers'];

export function headerLinesOf(headers: ShownHeaders): readonly HeaderLine[] {
  return (headers ?? []).map(({ name }) => ({ name, value: '', isStored: true }));
}

/**
 * The error of the lines that a request could not express, or null. The API checks names and values. An empty line
 * counts for nothing.
 */
export function faultOfHeaders(all: readonly HeaderLine[]): string | null {
  const lines = filled(all);
  const names = lines.map(({ name }) => name.toLowerCase());
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (names.includes('')) {
    return 'Enter a name for each value.';
  }
  if (repeated !== undefined) {
    return `The header “${repeated}” occurs twice. Remove one of the lines.`;
  }
  const empty = lines.find(({ value, isStored }) => value === '' && !isStored);
  return empty === undefined ? null : `Enter a value for the header “${empty.name}”.`;
}

/** The change of the headers for the body of a request, from valid lines. Without a change it is missing. */
export function changedHeaders(
  all: readonly HeaderLine[],
  before: ShownHeaders,
): { headers?: Record<string, string | null> } {
  const lines = filled(all);
  const kept = new Set(lines.map(({ name }) => name.toLowerCase()));
  const removed = (before ?? []).filter(({ name }) => !kept.has(name));
  const changes: readonly (readonly [string, string | null])[] = [
    ...removed.map(({ name }) => [name, null] as const),
    ...lines.filter(({ value }) => value !== '').map(({ name, value }) => [name, value] as const),
  ];
  return changes.length === 0 ? {} : { headers: Object.fromEntries(changes) };
}

/** The lines that are not empty, without white space around their texts. */
function filled(lines: readonly HeaderLine[]): readonly HeaderLine[] {
  return lines
    .map((line) => ({ ...line, name: line.name.trim(), value: line.value.trim() }))
    .filter(({ name, value }) => name !== '' || value !== '');
}
