import { elementTexts, jsonLines, memberText } from '../api/jsonText.js';
import { faultOfEventType } from '../webhooks/eventType.js';

/** An event that the user enters. */
export interface EventInput {
  readonly type: string;
  /** The JSON text of `data`, which the page posts unchanged. */
  readonly data: string;
}

/** The errors of the entered fields, or null for a valid field. */
export function faultsOfEvent({ type, data }: EventInput) {
  return { type: faultOfEventType(type.trim()), data: faultOfData(data) };
}

function faultOfData(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? null
      : 'The data must be a JSON object, such as {"orderId": "ord_1"}.';
  } catch (error) {
    return `The data is not valid JSON. ${error instanceof Error ? error.message : ''}`.trim();
  }
}

/**
 * The body of the request, in which numbers keep every digit.
 * @param tenantId the tenant of the event, if the request names one
 */
export function bodyOfEvent({ type, data }: EventInput, tenantId: string | null = null): string {
  const tenant = tenantId === null ? '' : `"tenantId":${JSON.stringify(tenantId)},`;
  return `{"type":${JSON.stringify(type.trim())},${tenant}"data":${data.trim()}}`;
}

/** JSON with a line for each member. The formatting changes no token. */
export function formattedJson(text: string): string {
  return [...jsonLines(text)]
    .map(({ depth, tokens }) => '  '.repeat(depth) + tokens.map((token) => token.text).join(''))
    .join('\n');
}

/** The formatted `data` of the first event in the text of a list, or null for an empty list. */
export function dataOfFirst(list: string): string | null {
  const [first] = elementTexts(memberText(list, 'data') ?? '[]');
  const data = first === undefined ? null : memberText(first, 'data');
  return data === null ? null : formattedJson(data);
}

/** The types among subscriptions, without patterns. */
export function knownTypes(subscriptions: readonly string[]): readonly string[] {
  return [...new Set(subscriptions.filter((type) => !type.endsWith('*')))].toSorted();
}
