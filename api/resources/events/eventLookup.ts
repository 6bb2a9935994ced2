import { createFairSemaphore } from '../../../shared/concurrency/fairSemaphore.js';
import { isIdentifier } from '../../../shared/domain/core/identifiers.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { waitForEnds, type ModelAndLog } from '../../../shared/store/models/modelProgress.js';
import type { ModelAnswer, ReadModel } from '../../../shared/store/models/readModels.js';
import type { TakenUp } from '../../catchUp/takenUp.js';
import { isOwnedEvent, ownedDeliveries, type Owner } from '../../http/ownership.js';
import { storedEvent, type StoredEvent } from './representation.js';

export interface EventLookup {
  /**
   * An event that the caller sees, with the deliveries that the caller sees. Null if the log contains no such event.
   * @throws UnavailableError if the read model does not catch up in time
   */
  find: (caller: Owner, id: string) => Promise<StoredEvent | null>;
}

/** The progress is that of the model `events`. */
export interface EventLookupDependencies extends ModelAndLog {
  readonly events: Pick<ReadModel<EventDocument>, 'findByIds'>;
  readonly takenUp: Pick<TakenUp, 'refresh' | 'areDeliveriesComplete'>;
  /** How long a lookup waits for the log and the read model, in milliseconds. */
  readonly waitMs?: number;
}

const maximumWaiting = 200;
/**
 * The number of lookups of one account that may wait. The limit of an account is lower than the total limit, so that
 * one account does not block other accounts.
 */
const maximumWaitingOfAccount = 100;
const defaultWaitMs = 2000;

/**
 * The lookup of events with read-your-writes. The read model may not contain an accepted event yet. The lookup of a
 * missing event therefore waits until the read model has reached the current ends of all partitions. Any partition may
 * contain an event.
 */
export function createEventLookup(dependencies: EventLookupDependencies): EventLookup {
  const { events, takenUp, waitMs = defaultWaitMs } = dependencies;
  const waits = createFairSemaphore({
    slots: maximumWaiting,
    slotsOfKey: maximumWaitingOfAccount,
    maximumWaiting: 0,
    overload: 'too many lookups wait for the read model "events"',
    retryAfterSeconds: 1,
  });

  const eventOf = ({ documents: [document], meta }: ModelAnswer<EventDocument>): StoredEvent | null =>
    document === undefined
      ? null
      : storedEvent(document, (event) => takenUp.areDeliveriesComplete(event, meta));

  const findOfAccount = async (id: string, accountId: string): Promise<StoredEvent | null> => {
    await takenUp.refresh();
    const answer = await events.findByIds(accountId, [id]);
    const event = answer.meta.complete ? eventOf(answer) : null;
    if (event !== null) {
      return event;
    }
    return waits.run(accountId, async () => {
      await waitForEnds(dependencies, { model: 'events', topic: 'events', timeoutMs: waitMs });
      return eventOf(await events.findByIds(accountId, [id]));
    });
  };

  return {
    find: async (caller, id) => {
      const event = isIdentifier('evt', id) ? await findOfAccount(id, caller.accountId) : null;
      return event !== null && isOwnedEvent(caller, event)
        ? { ...event, deliveries: ownedDeliveries(caller, event.deliveries) }
        : null;
    },
  };
}
