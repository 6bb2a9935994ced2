import { createTimeSlices } from '../../../shared/concurrency/timeSlices.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { EventValidation } from '../../../shared/domain/events/event.js';
import { checkPosted, type PostedCheck } from '../../eventTypes/checkPosted.js';
import { checksWithoutTime, type EventChecks } from '../../eventTypes/eventCheck.js';
import type { ApiError } from '../../http/apiError.js';
import type { PostedEvent } from '../../http/context.js';
import type { Owner } from '../../http/ownership.js';
import type { RecordedEvents } from '../../eventTypes/recordedEvents.js';
import { unavailableItem } from './itemKeys.js';

/** An event that a request wants to append. */
export interface CheckedItem {
  readonly id: string;
  readonly item: PostedEvent;
  /** Whether an earlier request may have recorded the event. */
  readonly isRepeat: boolean;
}

interface ItemCheckDependencies {
  readonly checks: EventChecks;
  readonly recorded: RecordedEvents;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/** The results of the checks of events. An event that is in neither map was not checked. */
export interface ItemChecks<Item> {
  readonly validations: ReadonlyMap<Item, EventValidation>;
  /** The errors of events that must not be appended. */
  readonly errors: ReadonlyMap<Item, ApiError>;
}

/** The number of events of a request that wait for the schemas and the worker threads at the same time. */
const maximumWaiting = 8;
/**
 * The time for the checks of a request, in milliseconds. Checks that are worth a worker's time wait for the account's
 * share, so a batch of them would take minutes. The rest of the request's 8 s is for its appends.
 */
const timeLimitMs = 5_000;

/**
 * Checks events in time slices. After the time limit, events that still need a check are unavailable. A rejected event that an earlier request has recorded is no error. The request appends
 * the same record again, and the readers of the log skip it.
 */
export async function checkItems<Item extends CheckedItem>(
  { checks, recorded, now = () => performance.now() }: ItemCheckDependencies,
  owner: Owner,
  items: readonly Item[],
): Promise<ItemChecks<Item>> {
  const results = new Map<Item, PostedCheck>();
  const waiting = new Set<Promise<void>>();
  const slices = createTimeSlices();
  const deadline = now() + timeLimitMs;
  const late = checksWithoutTime(checks);
  for (const one of items) {
    const checking = checkPosted(now() < deadline ? checks : late, owner, uncheckedEvent(one));
    if (checking === null) {
      continue;
    }
    const done = Promise.resolve(checking).then((result) => {
      if (result !== null) {
        results.set(one, result);
      }
      waiting.delete(done);
    });
    waiting.add(done);
    if (waiting.size >= maximumWaiting) {
      await Promise.race(waiting);
    }
    if (slices.isOver()) {
      await slices.next();
    }
  }
  await Promise.all(waiting);
  return withoutRecorded(results, await earlierEvents(recorded, owner, results));
}

function uncheckedEvent({ item: { type, data, place } }: CheckedItem) {
  return { type, data, place, parsed: (): unknown => JSON.parse(data.toString('utf8')) };
}

/** The ids of rejected events that an earlier request has recorded, or the error if they cannot be read. */
async function earlierEvents<Item extends CheckedItem>(
  recorded: RecordedEvents,
  { accountId }: Owner,
  results: ReadonlyMap<Item, PostedCheck>,
): Promise<Awaited<ReturnType<RecordedEvents>> | UnavailableError> {
  const rejected = [...results].filter(([item, result]) => isRejectedRepeat(item, result));
  try {
    return await recorded(
      accountId,
      rejected.map(([{ id }]) => id),
    );
  } catch (error) {
    if (error instanceof UnavailableError) {
      return error;
    }
    throw error;
  }
}

function isRejectedRepeat({ isRepeat }: CheckedItem, { error, validation }: PostedCheck): boolean {
  return isRepeat && error !== null && validation !== null;
}

function withoutRecorded<Item extends CheckedItem>(
  results: ReadonlyMap<Item, PostedCheck>,
  earlier: Awaited<ReturnType<RecordedEvents>> | UnavailableError,
): ItemChecks<Item> {
  const validations = new Map<Item, EventValidation>();
  const errors = new Map<Item, ApiError>();
  for (const [item, result] of results) {
    const error = errorAfter(item, result, earlier);
    if (error !== null) {
      errors.set(item, error);
    } else {
      // An event that was recorded before keeps its first result.
      const first = earlier instanceof UnavailableError ? undefined : earlier.get(item.id);
      const validation = first === undefined ? result.validation : first;
      if (validation !== null) {
        validations.set(item, validation);
      }
    }
  }
  return { validations, errors };
}

function errorAfter(
  item: CheckedItem,
  result: PostedCheck,
  earlier: Awaited<ReturnType<RecordedEvents>> | UnavailableError,
): ApiError | null {
  if (!isRejectedRepeat(item, result)) {
    return result.error;
  }
  if (earlier instanceof UnavailableError) {
    return unavailableItem(earlier, item.item);
  }
  return earlier.has(item.id) ? null : result.error;
}
