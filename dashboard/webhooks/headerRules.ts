import type { Webhook } from '../api/types.js';

/** The limits of the API. */
export const maximumHeaders = 20;
const maximumBytes = 8192;
const nameForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
const valueForm = /^[\t\x20-\x7e]+$/u;
const reservedForm =
  /^(?:connection|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|content-.*|proxy-.*)$/iu;

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

/** The error of the lines, or null if they are valid. An empty line counts for nothing. */
export function faultOfHeaders(all: readonly HeaderLine[]): string | null {
  const lines = filled(all);
  const names = lines.map(({ name }) => name.toLowerCase());
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (repeated !== undefined) {
    return `The header “${repeated}” occurs twice. Remove one of the lines.`;
  }
  if (lines.reduce((sum, { name, value }) => sum + name.length + value.length, 0) > maximumBytes) {
    return 'All headers together have at most 8 KiB.';
  }
  return lines.map(faultOfLine).find((fault) => fault !== null) ?? null;
}

function faultOfLine({ name, value, isStored }: HeaderLine): string | null {
  if (name === '') {
    return 'Enter a name for each value.';
  }
  if (!nameForm.test(name)) {
    return `“${name}” is not the name of a header. Use letters, digits and hyphens.`;
  }
  if (reservedForm.test(name)) {
    return `The service sets the header “${name}” itself. Remove the line.`;
  }
  if (value === '') {
    return isStored ? null : `Enter a value for the header “${name}”.`;
  }
  return valueForm.test(value)
    ? null
    : `The value of “${name}” has characters that a header must not have. Use ASCII characters.`;
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
