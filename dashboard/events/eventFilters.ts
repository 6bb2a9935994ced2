import type { DeliveryStatus } from '../api/types.js';
import { isWithin, knownRange, ranges, type RangeName } from '../navigation/ranges.js';
import { isTenantFilter } from '../navigation/tenantIds.js';
import { faultOfTypePattern } from '../webhooks/eventType.js';

/** The filters of the event list that the address of the page contains. */
export interface EventFilters {
  readonly types: readonly string[];
  /** The text that the events contain in the id or the data, or null without a search. */
  readonly search: string | null;
  readonly status: DeliveryStatus | null;
  readonly webhookId: string | null;
  /** The id of a tenant, `null` for events without a tenant, or null for all events. */
  readonly tenantId: string | null;
  /** The result of the check of the data, or null for any result. */
  readonly validation: ValidationFilter | null;
  /** A time range up to now, or null without a range or with a custom range. */
  readonly within: RangeName | null;
  /** The bounds of a custom time range in ISO 8601. */
  readonly since: string | null;
  readonly until: string | null;
  readonly startingAfter: string | null;
  readonly endingBefore: string | null;
}

export const deliveryStatuses: readonly DeliveryStatus[] = [
  'failed',
  'retrying',
  'pending',
  'delivered',
  'canceled',
];

/** The results of the check of events that a list can be filtered by. */
export const validationFilters = ['invalid', 'unknown'] as const;

export type ValidationFilter = (typeof validationFilters)[number];

/** The filters in the address of the page. `filterFaults` names the invalid values, which select nothing. */
export function filtersOf(parameters: URLSearchParams): EventFilters {
  const status = parameters.get('status');
  const within = knownRange(parameters.get('within'));
  return {
    types: typesOf(parameters).filter((type) => faultOfTypePattern(type) === null),
    search: searchOf(parameters.get('search')),
    status: deliveryStatuses.find((each) => each === status) ?? null,
    webhookId: parameters.get('webhook'),
    tenantId: tenantOf(parameters.get('tenant')),
    validation: validationOf(parameters.get('validation')),
    within,
    since: within === null ? timeOf(parameters.get('since')) : null,
    until: within === null ? timeOf(parameters.get('until')) : null,
    startingAfter: parameters.get('after'),
    endingBefore: parameters.get('before'),
  };
}

/** The filter by tenant, or null if the API would reject the text. */
function tenantOf(text: string | null): string | null {
  return text !== null && isTenantFilter(text) ? text : null;
}

function validationOf(text: string | null): ValidationFilter | null {
  return validationFilters.find((each) => each === text) ?? null;
}

const filterNames = [
  ...['type', 'search', 'status', 'webhook', 'tenant', 'validation', 'within', 'since', 'until'],
  ...['after', 'before', 'live'],
];

/** The length of a searched text, in Unicode characters. */
const [shortestSearch, longestSearch] = [3, 200];

/** The searched text, or null if the API would reject the text. */
function searchOf(text: string | null): string | null {
  return text === null || faultOfSearch(text) !== null ? null : text;
}

function faultOfSearch(text: string): string | null {
  const { length } = Array.from(text);
  return length >= shortestSearch && length <= longestSearch
    ? null
    : `Enter ${shortestSearch} to ${longestSearch} characters to search in the ids and the data of events.`;
}

/** What a text in the search field means: the id of an event, event types, or a text to search. */
export type Sought =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'event'; readonly id: string }
  | { readonly kind: 'types'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'invalid'; readonly fault: string };

const eventId = /^evt_[0-9A-Z]{26}$/i;

/**
 * The meaning of an entered text. Words that are joined by dots are event types. An example is `order.completed`. Any
 * other text is searched.
 */
export function soughtBy(entered: string): Sought {
  const text = entered.trim();
  if (text === '') {
    return { kind: 'nothing' };
  }
  if (eventId.test(text)) {
    return { kind: 'event', id: text };
  }
  const types = text.split(/[\s,]+/);
  if (types.every((type) => type.includes('.') && faultOfTypePattern(type) === null)) {
    return { kind: 'types', text: types.join(' ') };
  }
  const fault = faultOfSearch(text);
  return fault === null ? { kind: 'text', text } : { kind: 'invalid', fault };
}

/** The parameters of the address that `filtersOf` cannot apply, such as `status=lost`. */
export function filterFaults(parameters: URLSearchParams): readonly string[] {
  const isValid: Readonly<Record<string, (value: string) => boolean>> = {
    search: (value) => faultOfSearch(value) === null,
    status: (value) => deliveryStatuses.some((each) => each === value),
    tenant: isTenantFilter,
    validation: (value) => validationOf(value) !== null,
    within: isWithin,
    since: (value) => timeOf(value) !== null,
    until: (value) => timeOf(value) !== null,
    type: () => typesOf(parameters).every((type) => faultOfTypePattern(type) === null),
  };
  return [...parameters]
    .filter(([name, value]) => !filterNames.includes(name) || isValid[name]?.(value) === false)
    .map(([name, value]) => `${name}=${value}`);
}

function typesOf(parameters: URLSearchParams): readonly string[] {
  return (parameters.get('type') ?? '').split(/[\s,]+/).filter((type) => type !== '');
}

/** The filters as query parameters of the API. */
export function queryOf(filters: EventFilters, now: Date) {
  const { types, search, status } = filters;
  return {
    ...(types.length === 0 ? {} : { type: [...types] }),
    ...(search === null ? {} : { search }),
    ...(status === null ? {} : { deliveryStatus: [status] }),
    ...ownersOf(filters),
    ...spanOf(filters, now),
  };
}

/** The webhook, the tenant and the result of the check as query parameters of the API. */
function ownersOf({ webhookId, tenantId, validation }: EventFilters) {
  return {
    ...(webhookId === null ? {} : { webhookId }),
    ...(tenantId === null ? {} : { tenantId }),
    ...(validation === null ? {} : { validation }),
  };
}

/** The time range and the page as query parameters of the API. */
function spanOf(filters: EventFilters, now: Date) {
  const { until, startingAfter, endingBefore } = filters;
  const since = beginningOf(filters, now);
  return {
    ...(since === null ? {} : { createdGte: since }),
    ...(until === null ? {} : { createdLt: until }),
    ...(startingAfter === null ? {} : { startingAfter }),
    ...(endingBefore === null ? {} : { endingBefore }),
  };
}

/** Whether the address of the page contains any filter. */
export function isFiltered(filters: EventFilters): boolean {
  const { types, startingAfter: _after, endingBefore: _before, ...others } = filters;
  return types.length > 0 || Object.values(others).some((each) => each !== null);
}

function beginningOf({ within, since }: EventFilters, now: Date): string | null {
  return within === null ? since : new Date(now.getTime() - ranges[within].lengthMs).toISOString();
}

function timeOf(text: string | null): string | null {
  const time = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
