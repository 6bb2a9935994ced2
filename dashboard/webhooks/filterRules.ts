import { textOrNull } from './webhookRules.js';

const maximumBytes = 4096;
/** Browsers preserve so many digits of a number. */
const exactDigits = 15;
const example = '{"data": {"amount": {"$gte": 100}}}';

/** The filter in the body of a request. */
export type FilterInput = Record<string, unknown> | null;

/** The text that a form shows for the filter of a webhook. */
export function filterText(filter: FilterInput): string {
  return filter === null ? '' : JSON.stringify(filter, null, 2);
}

/**
 * The error of the text of a filter, or null if the text is empty or may be a filter. The API checks the operators.
 */
export function faultOfFilter(text: string): string | null {
  if (textOrNull(text) === null) {
    return null;
  }
  if (!isObject(parsed(text))) {
    return `Enter a JSON object, such as ${example}.`;
  }
  if (new TextEncoder().encode(JSON.stringify(parsed(text))).length > maximumBytes) {
    return 'A filter has at most 4 KiB.';
  }
  return hasLongNumber(text)
    ? `A number in this form has at most ${String(exactDigits)} digits. Set longer numbers with the API.`
    : null;
}

/**
 * The filter for the body of a request, from a valid text. A change of other fields leaves out the filter, because
 * the text of the form rounds long numbers.
 */
export function changedFilter(text: string, before: FilterInput): { filter?: FilterInput } {
  if (text === filterText(before)) {
    return {};
  }
  const filter = parsed(text);
  return { filter: isObject(filter) ? filter : null };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the text has a long number outside its strings. */
function hasLongNumber(text: string): boolean {
  const outside = text.replace(/"(?:[^"\\]|\\[^])*"/g, '""');
  return (outside.match(/[\d.]+/g) ?? []).some((number) => number.replace('.', '').length > exactDigits);
}
