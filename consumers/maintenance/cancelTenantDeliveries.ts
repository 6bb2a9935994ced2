import type { Clock } from '../../shared/core/clock.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import { tenantDeleted } from '../../shared/domain/deliveries/deliveryFacts.js';
import { tenantContext } from '../../shared/domain/tenants/deliveryTenant.js';
import { everyTenant } from '../../shared/domain/tenants/tenantId.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import type { DeliveryEntry, EventDocument } from '../../shared/store/models/documents.js';
import { eventIndexes, openEntry } from '../../shared/store/models/indexes.js';
import { offsetsBehind, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';
import type { EndingLife } from '../../shared/tenants/endedLives.js';

export interface CancelTenantDeliveriesDependencies {
  readonly events: Pick<ReadModel<EventDocument>, 'findDerived'>;
  /** The progress of the model `events`. */
  readonly progress: ModelProgress;
  readonly log: LogAppender;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
  /** Whether this process owns the deliveries of a home partition, so that one process cancels each delivery. */
  readonly isOurs: (home: number) => boolean;
}

/**
 * Cancels the open deliveries of the events of a life that has ended to webhooks of every tenant, page by page. A second
 * cancelation record of a delivery has no effect. The webhooks of the tenant itself are deleted, and their deliveries are
 * canceled for that reason.
 * @returns how many deliveries were canceled
 * @throws UnavailableError if the log or the read model is unavailable; the caller tries again
 */
export type CancelTenantDeliveries = (life: EndingLife, signal: AbortSignal) => Promise<number>;

const modelTimeoutMs = 10_000;
/** More than the deliveries of one event, so that a page never ends within the first event of the next page. */
const pageSize = 500;

const index = eventIndexes.tenantEntries.key;

export function createCancelTenantDeliveries(
  dependencies: CancelTenantDeliveriesDependencies,
): CancelTenantDeliveries {
  const { events, progress, log, identifiers, clock, isOurs } = dependencies;

  const find = async (
    { accountId, mode, tenantId }: EndingLife,
    condition: Readonly<Record<string, unknown>>,
    limit: number,
  ): Promise<readonly DeliveryEntry[]> => {
    const found = await events.findDerived({
      filter: {
        'entry.accountId': accountId,
        'entry.mode': mode,
        'entry.ofTenant': tenantId,
        ...openEntry,
        ...condition,
      },
      sort: { 'entry.home': 1, 'entry.offset': 1 },
      limit,
      index,
    });
    return found.flatMap((document) => ('entry' in document ? [document.entry] : []));
  };

  const cancel = ({ tenantId }: EndingLife, { eventId: key, accountId, mode, ...entry }: DeliveryEntry) => {
    const { webhookId, home, offset, delivery } = entry;
    const { cycle, replayId, epoch } = delivery;
    const at = clock();
    const tenant = tenantContext({ tenantId, tenancy: everyTenant }, offset);
    const context = { id: identifiers.createRecordId(at), key, accountId, mode, at, ...tenant };
    const value = { webhookId, cycle, replayId, epoch, error: tenantDeleted };
    return log.append(deliveryRecords.encode({ type: 'postrider.delivery.canceled', value }, context, home));
  };

  const cancelIn = async (life: EndingLife, home: number, signal: AbortSignal): Promise<number> => {
    let canceled = 0;
    let from = life.eventsFrom[home] ?? 0;
    for (let isLast = false; !isLast && !signal.aborted;) {
      const offset = { $gte: from, $lt: life.eventsBelow[home] ?? 0 };
      const page = await find(life, { 'entry.home': home, 'entry.offset': offset }, pageSize);
      const open = page.filter(({ delivery }) => delivery.tenancy === everyTenant);
      const positions = await Promise.all(open.map((entry) => cancel(life, entry)));
      // Waits until the model contains the cancelations. Otherwise the next pass would cancel the same deliveries
      // again.
      await progress.reached('deliveries', offsetsBehind(positions), modelTimeoutMs);
      canceled += open.length;
      from = page.at(-1)?.offset ?? from;
      isLast = page.length < pageSize;
    }
    return canceled;
  };

  return async (life, signal) => {
    // Most tenants have no open delivery, which one read shows for all partitions.
    const [first] = await find(life, {}, 1);
    if (first === undefined) {
      return 0;
    }
    let canceled = 0;
    for (const home of life.eventsBelow.keys()) {
      canceled += isOurs(home) ? await cancelIn(life, home, signal) : 0;
    }
    return canceled;
  };
}
