import type { Failure, FailureHistory } from '../../shared/domain/webhooks/failing.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { AttemptDocument } from '../../shared/store/models/documents.js';
import { attemptIndexes } from '../../shared/store/models/indexes.js';
import type { OrderedRange, ReadModel } from '../../shared/store/models/readModels.js';

const newestFirst = { created: -1, _id: -1 } as const;
const oldestFirst = { created: 1, _id: 1 } as const;

/**
 * What the model knows of a webhook's failures up to the latest one: at most three reads, each of the first entries of one
 * range of an index.
 * @throws UnavailableError where the model is away or incomplete
 */
export async function readFailureHistory(
  attempts: Pick<ReadModel<AttemptDocument>, 'findPage'>,
  { id: webhookId, enabledAt }: Pick<Webhook, 'id' | 'enabledAt'>,
  latest: Failure,
): Promise<FailureHistory> {
  const firstOf = async (filter: OrderedRange['filter'], sort: OrderedRange['sort']) => {
    const ranges = [{ filter: { webhookId, ...filter }, sort }];
    const index = attemptIndexes.byWebhook.key;
    return (await attempts.findPage({ ranges, limit: 1, index, without: ['responseBody'] }))[0];
  };

  const success = await firstOf({ status: 'succeeded' }, newestFirst);
  const after = success === undefined || success.created < enabledAt ? enabledAt : success.created;
  const failedSince = { status: 'failed', created: { $gt: after } };
  const first = await firstOf(failedSince, oldestFirst);
  if (first === undefined) {
    return { first: null, othersFailed: false };
  }
  const othersFailed =
    first.eventId !== latest.eventId ||
    (await firstOf({ ...failedSince, eventId: { $ne: latest.eventId } }, oldestFirst)) !== undefined;
  return { first: { eventId: first.eventId, at: first.created }, othersFailed };
}
