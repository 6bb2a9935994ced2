import { answerOf } from '../api/answer.js';
import type { Api } from '../api/client.js';
import type { Delivery, Event, Webhook } from '../api/types.js';

/** The largest page size of the API. A larger number of events is shown as `100+`. */
const limit = 100;

export interface Undelivered {
  readonly webhookId: string;
  readonly failed: number;
  readonly retrying: number;
  /** Whether the webhook has more undelivered events than were counted. */
  readonly isMore: boolean;
  /** The newest undelivered event of the webhook. */
  readonly newest: Event;
  /** The delivery of the newest undelivered event to the webhook. */
  readonly delivery: Delivery;
}

/** Reads the recently undelivered events by webhook. The webhook with the most undelivered events comes first. */
export async function readUndelivered(
  api: Api,
  since: Date,
  signal: AbortSignal,
): Promise<readonly Undelivered[]> {
  const read = (deliveryStatus: 'failed' | 'retrying') => {
    const query = { limit, deliveryStatus, createdGte: since.toISOString() };
    return answerOf(api.GET('/v1/events', { params: { query }, signal }));
  };
  const [failed, retrying] = await Promise.all([read('failed'), read('retrying')]);
  return undeliveredOf([...failed.data, ...retrying.data], failed.hasMore || retrying.hasMore);
}

/** @param events the undelivered events, of which some may be contained twice */
function undeliveredOf(events: readonly Event[], isMore: boolean): readonly Undelivered[] {
  const once = [...new Map(events.map((event) => [event.id, event])).values()];
  const newestFirst = once.sort((one, other) => other.created.localeCompare(one.created));
  const pairs = newestFirst.flatMap((event) => event.deliveries.map((delivery) => ({ event, delivery })));
  const byWebhook = new Map<string, Undelivered>();
  for (const { event, delivery } of pairs) {
    const { status, webhookId } = delivery;
    if (status === 'failed' || status === 'retrying') {
      const none = { webhookId, failed: 0, retrying: 0, isMore, newest: event, delivery };
      const before = byWebhook.get(webhookId) ?? none;
      byWebhook.set(webhookId, { ...before, [status]: before[status] + 1 });
    }
  }
  return [...byWebhook.values()].sort((one, other) => sum(other) - sum(one));
}

function sum({ failed, retrying }: Undelivered): number {
  return failed + retrying;
}

/** Whether the service has disabled the webhook. The webhook's users may not know this state. */
export function isAutoDisabled({ disabledReason }: Webhook): boolean {
  return disabledReason === 'gone' || disabledReason === 'failing';
}
