import type { Mode } from '../../shared/domain/fact.js';
import type { EventDocument } from '../../shared/mongo/documents.js';
import { eventIndexes } from '../../shared/mongo/indexes.js';
import type { OrderedRange, PageQuery, ReadModel } from '../../shared/mongo/readModels.js';

/** Whose deliveries they are. */
export interface WebhookOwner {
  readonly id: string;
  readonly accountId: string;
  readonly mode: Mode;
}

/** In the order in which they are to be read: what is deferred may be retrying before it is looked for there. */
export const openStatuses = ['pending', 'retrying'] as const;

export type OpenStatus = (typeof openStatuses)[number];

const pageSize = 200;

/**
 * The events with a delivery to a webhook that is open in this way, the newest first, page by page as they are asked for.
 * @throws UnavailableError where the read model is away or incomplete
 */
export async function* openPages(
  events: Pick<ReadModel<EventDocument>, 'findPage'>,
  webhook: WebhookOwner,
  status: OpenStatus,
): AsyncGenerator<readonly EventDocument[]> {
  let last: EventDocument | undefined;
  do {
    const page = await events.findPage(openPage(webhook, status, last));
    yield page;
    last = page.length === pageSize ? page.at(-1) : undefined;
  } while (last !== undefined);
}

function openPage(
  { id: webhookId, accountId, mode }: WebhookOwner,
  status: OpenStatus,
  last: EventDocument | undefined,
): PageQuery {
  // The last one is what the index is partial by.
  const filter = {
    accountId,
    mode,
    deliveries: { $elemMatch: { webhookId, status } },
    'deliveries.status': { $exists: true },
  };
  return {
    ...pageBehind(filter, last),
    limit: pageSize,
    index: eventIndexes.byWebhook.key,
    without: ['data'],
  };
}

function pageBehind(
  filter: OrderedRange['filter'],
  last: EventDocument | undefined,
): Pick<PageQuery, 'ranges'> {
  const sort = { created: -1, _id: -1 } as const;
  if (last?.created === undefined) {
    return { ranges: [{ filter, sort }] };
  }
  const { created, _id } = last;
  return {
    ranges: [
      { filter: { ...filter, created, _id: { $lt: _id } }, sort: { _id: -1 } },
      { filter: { ...filter, created: { $lt: created } }, sort },
    ],
  };
}
