import type { DeliveryStatus } from '../api/types.js';

/** The filters of the event list that the address of the page contains. */
export interface EventFilters {
  readonly types: readonly string[];
  readonly status: DeliveryStatus | null;
  readonly webhookId: string | null;
  /** A time range up to now, or null without a range or with a custom range. */
  readonly within: Within | null;
  /** The bounds of a custom time range in ISO 8601. */
  readonly since: string | null;
  readonly until: string | null;
  readonly startingAfter: string | null;
  readonly endingBefore: string | null;
}

const hourMs = 60 * 60 * 1000;

const lengthsMs = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs };

export type Within = keyof typeof lengthsMs;

export const withins: readonly (readonly [Within, string])[] = [
  ['hour', 'Last hour'],
  ['day', 'Last 24 hours'],
  ['week', 'Last 7 days'],
];

export const deliveryStatuses: readonly DeliveryStatus[] = [
  'failed',
  'retrying',
  'pending',
  'delivered',
  'canceled',
];

/** The filters in the address of the page. Invalid values are ignored. */
export function filtersOf(parameters: URLSearchParams): EventFilters {
  const status = parameters.get('status');
  const [within] = withins.find(([each]) => each === parameters.get('within')) ?? [null];
  return {
    types: (parameters.get('type') ?? '').split(/[\s,]+/).filter((type) => type !== ''),
    status: deliveryStatuses.find((each) => each === status) ?? null,
    webhookId: parameters.get('webhook'),
    within,
    since: within === null ? timeOf(parameters.get('since')) : null,
    until: within === null ? timeOf(parameters.get('until')) : null,
    startingAfter: parameters.get('after'),
    endingBefore: parameters.get('before'),
  };
}

/** The filters as query parameters of the API. */
export function queryOf(filters: EventFilters, now: Date) {
  const { types, status, webhookId, until, startingAfter, endingBefore } = filters;
  const since = beginningOf(filters, now);
  return {
    ...(types.length === 0 ? {} : { type: [...types] }),
    ...(status === null ? {} : { deliveryStatus: status }),
    ...(webhookId === null ? {} : { webhookId }),
    ...(since === null ? {} : { createdGte: since }),
    ...(until === null ? {} : { createdLt: until }),
    ...(startingAfter === null ? {} : { startingAfter }),
    ...(endingBefore === null ? {} : { endingBefore }),
  };
}

/** Whether the address of the page contains any filter. */
export function isFiltered({ types, status, webhookId, within, since, until }: EventFilters): boolean {
  return types.length > 0 || [status, webhookId, within, since, until].some((each) => each !== null);
}

function beginningOf({ within, since }: EventFilters, now: Date): string | null {
  return within === null ? since : new Date(now.getTime() - lengthsMs[within]).toISOString();
}

function timeOf(text: string | null): string | null {
  const time = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
