import type { DeliveryStatus } from '../api/types.js';

/** The list of events as the address asks for it. */
export interface EventFilters {
  readonly types: readonly string[];
  readonly status: DeliveryStatus | null;
  readonly webhookId: string | null;
  /** ISO 8601. */
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

/** What the address says; what it says wrong is left out. */
export function filtersOf(parameters: URLSearchParams): EventFilters {
  const status = parameters.get('status');
  return {
    types: (parameters.get('type') ?? '').split(/[\s,]+/).filter((type) => type !== ''),
    status: deliveryStatuses.find((each) => each === status) ?? null,
    webhookId: parameters.get('webhook'),
    since: timeOf(parameters.get('since')),
    until: timeOf(parameters.get('until')),
    startingAfter: parameters.get('after'),
    endingBefore: parameters.get('before'),
  };
}

/** The same as the API's query. */
export function queryOf(filters: EventFilters) {
  const { types, status, webhookId, since, until, startingAfter, endingBefore } = filters;
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

/** Whether anything but the page is asked for. */
export function isFiltered({ types, status, webhookId, since, until }: EventFilters): boolean {
  return types.length > 0 || [status, webhookId, since, until].some((each) => each !== null);
}

function timeOf(text: string | null): string | null {
  const time = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
