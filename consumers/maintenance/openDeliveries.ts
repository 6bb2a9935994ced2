import type { DerivedDocument, EventDocument } from '../../shared/store/models/documents.js';
import { eventIndexes, withOpenDeliveries } from '../../shared/store/models/indexes.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';

/**
 * The statuses of open deliveries, in reading order. A `pending` delivery may become `retrying` during the read, and is
 * then found under `retrying`.
 */
export const openStatuses = ['pending', 'retrying'] as const;

export type OpenStatus = (typeof openStatuses)[number];

/**
 * The reads of open deliveries. Each read throws UnavailableError if the read model cannot be read, or is incomplete.
 */
export type OpenDeliveryReads = Pick<ReadModel<EventDocument>, 'findPage' | 'findDistinct'>;

const index = eventIndexes.open.key;
const pageSize = 200;
/** The webhook ids in a page. Each id costs an index seek, and the seeks of a page are sequential. */
const webhookPageSize = 100;

/** The ids of the webhooks that have deliveries with the given status, page by page on request. */
export async function* openWebhookIds(
  events: Pick<OpenDeliveryReads, 'findDistinct'>,
  status: OpenStatus,
): AsyncGenerator<readonly string[]> {
  let last: string | null = null;
  do {
    const page: readonly string[] = await events.findDistinct({
      index,
      first: status,
      filter: withOpenDeliveries,
      after: last,
      limit: webhookPageSize,
    });
    yield page;
    last = page.length === webhookPageSize ? (page.at(-1) ?? null) : null;
  } while (last !== null);
}

/** The events whose delivery to a webhook has the given status, page by page on request. */
export async function* openPages(
  events: Pick<OpenDeliveryReads, 'findPage'>,
  webhookId: string,
  status: OpenStatus,
): AsyncGenerator<readonly EventDocument[]> {
  const filter = { deliveries: { $elemMatch: { webhookId, status } }, ...withOpenDeliveries };
  const query = { limit: pageSize, index, without: ['data'] };
  let last: string | undefined;
  do {
    const behind = last === undefined ? {} : { _id: { $lt: last } };
    const ranges = [{ filter: { ...filter, ...behind }, sort: { _id: -1 } as const }];
    const page = await events.findPage({ ...query, ranges });
    yield page;
    last = page.length === pageSize ? page.at(-1)?._id : undefined;
  } while (last !== undefined);
}

/** The ids of the events with an open delivery to a webhook that is not parked, page by page on request. */
export async function* unparkedPages(
  events: Pick<ReadModel<EventDocument>, 'findDerived'>,
  webhookId: string,
): AsyncGenerator<readonly string[]> {
  let last = '';
  do {
    const page: readonly DerivedDocument[] = await events.findDerived({
      filter: { 'entry.open': webhookId, 'entry.backlog': null, 'entry.eventId': { $gt: last } },
      sort: { 'entry.eventId': 1 },
      limit: pageSize,
      index: eventIndexes.unparked.key,
    });
    const ids = page.flatMap((document) => ('entry' in document ? [document.entry.eventId] : []));
    yield ids;
    last = ids.length === pageSize ? (ids.at(-1) ?? '') : '';
  } while (last !== '');
}
