import { createFairSemaphore } from '../../../shared/concurrency/fairSemaphore.js';
import { createTimeSlices } from '../../../shared/concurrency/timeSlices.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { seededIdentity, type RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import type { EventValidation } from '../../../shared/domain/events/event.js';
import type { OutgoingRecord } from '../../../shared/log/encoding/record.js';
import { appendEach } from '../../../shared/log/producer/appendEach.js';
import type { AppendOptions } from '../../../shared/log/producer/partitionBatcher.js';
import type { LogAppender } from '../../../shared/log/producer/producer.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import { placementOf } from '../../../shared/log/topics/partition.js';
import type { Metrics } from '../../../shared/runtime/metrics.js';
import type {
  ItemClaims,
  ItemOrigin,
  ItemReservations,
} from '../../../shared/store/coordination/itemReservations.js';
import type { EventChecks } from '../../eventTypes/eventCheck.js';
import type { RecordedEvents } from '../../eventTypes/recordedEvents.js';
import { isApiError, type ApiError } from '../../http/apiError.js';
import type { PostedEvent, PostedItem } from '../../http/context.js';
import type { Owner } from '../../http/ownership.js';
import { freeWaitMs, type RetryStore } from '../../idempotency/storeRetries.js';
import { checkItems, type ItemChecks } from './itemChecks.js';
import { takeKeys, unavailableItem, type TakenKeys } from './itemKeys.js';
import type { PostedEventsRequest } from './postedEventsRoute.js';
import { groupedByAnswer, validationIn } from './storedValidation.js';

/** The id and the time of an event that the log contains. */
export interface AcceptedItem {
  readonly id: string;
  readonly created: Date;
  /** The result of the check with the schema of the type; null for an event that was not checked. */
  readonly validation: EventValidation | null;
  /** Whether an earlier request had recorded the event. */
  readonly isReplayed?: true;
}

/** The result of one posted event. */
export type ItemOutcome = AcceptedItem | ApiError;

/** Posts events and returns the result of each event, in their order. */
export type PostEvents = (request: Omit<PostedEventsRequest, 'isBatch'>) => Promise<readonly ItemOutcome[]>;

export interface PostEventsDependencies {
  readonly log: Pick<LogAppender, 'appendTogether'>;
  /** The number of partitions of the topic `events`. */
  readonly partitions: number;
  readonly itemReservations: ItemReservations;
  readonly checks: EventChecks;
  readonly recorded: RecordedEvents;
  readonly retryStore: RetryStore;
  readonly metrics: Pick<Metrics, 'eventsAccepted' | 'eventAppendSeconds'>;
}

/**
 * The number of batches whose records wait for the log at the same time. Their records occupy at most three eighths of
 * the log's queue, so the events of single requests have room while Kafka is slow.
 */
const appends = 6;
const appendsOfAccount = 3;
const maximumWaitMs = 2000;

/** An event whose record the request must append. */
interface Pending extends AcceptedItem {
  readonly item: PostedEvent;
  /** The name of the event's reservation, or null for an event without an idempotency key. */
  readonly name: string | null;
  /** Whether an earlier request may have recorded the event. */
  readonly isRepeat: boolean;
}

/** What the request does for one event. */
type Step =
  | { readonly kind: 'known'; readonly outcome: ItemOutcome }
  | { readonly kind: 'append'; readonly pending: Pending }
  /** An earlier event of the request has the same idempotency key. */
  | { readonly kind: 'same'; readonly as: number };

type Failures = ReadonlyMap<Pending, UnavailableError>;

/** The results of the events that the request wanted to append. */
interface Results {
  /** The errors of the events that the log does not contain. */
  readonly errors: ReadonlyMap<Pending, ApiError>;
  readonly validations: ReadonlyMap<Pending, EventValidation>;
}

/**
 * Posts many events:
 *
 * 1. Takes their idempotency keys with one write.
 * 2. Checks the data of the events whose types are checked.
 * 3. Appends their records with one append for each partition.
 * 4. Marks the keys of the accepted events with another write.
 *
 * After a crash between these steps, repeated events get the same ids. The readers of the log skip repeated records.
 */
export function createPostEvents(dependencies: PostEventsDependencies): PostEvents {
  const { itemReservations, retryStore, metrics } = dependencies;
  const append = createAppend(dependencies);

  /** Stores which of the events with idempotency keys the log contains. */
  const settle = async (
    claims: ItemClaims,
    pending: readonly Pending[],
    { failures, checks: { errors, validations } }: { failures: Failures; checks: ItemChecks<Pending> },
  ) => {
    const namesOf = (isIncluded: (one: Pending) => boolean) =>
      pending.filter(isIncluded).flatMap(({ name }) => name ?? []);
    // A rejected event was never appended, so its key may be used for a corrected event.
    const dropped = namesOf((one) => errors.has(one) && !one.isRepeat);
    const released = namesOf((one) => failures.has(one) || (errors.has(one) && one.isRepeat));
    const accepted = pending.filter((one) => !failures.has(one) && !errors.has(one));
    const answers = groupedByAnswer(accepted, validations);
    await Promise.all([
      ...[...answers].map(([answer, some]) => {
        const names = some.flatMap(({ name }) => name ?? []);
        return retryStore(names[0] ?? '', () => claims.complete(names, Buffer.from(answer)));
      }),
      retryStore(released[0] ?? '', () => claims.release(released), freeWaitMs),
      retryStore(dropped[0] ?? '', () => claims.drop(dropped), freeWaitMs),
    ]);
  };

  return async ({ caller, items, identity, receivedAt: since }) => {
    const keys = await takeKeys(itemReservations, caller, items, identity);
    const steps = await stepsOf(items, keys, identity);
    const pending = steps.flatMap((step) => (step.kind === 'append' ? [step.pending] : []));
    const checks = await checkItems(dependencies, caller, pending);
    const { errors, validations } = checks;
    const appended = errors.size === 0 ? pending : pending.filter((one) => !errors.has(one));
    const failures = await append(caller, appended, { validations, since });
    if (keys.claims !== null) {
      await settle(keys.claims, pending, { failures, checks });
    }
    metrics.eventsAccepted.inc({ mode: caller.mode }, appended.length - failures.size);
    const failed = [...failures].map(([one, failure]) => [one, unavailableItem(failure, one.item)] as const);
    const results = { validations, errors: new Map([...errors, ...failed]) };
    return steps.map((step) => outcomeOf(step, steps, results));
  };
}

interface AppendRequest extends Pick<Results, 'validations'>, Required<Pick<AppendOptions, 'since'>> {}

function createAppend({ log, partitions, metrics }: PostEventsDependencies) {
  const appending = createFairSemaphore({
    slots: appends,
    slotsOfKey: appendsOfAccount,
    maximumWaitMs,
    overload: 'too many batches are waiting to be appended to Kafka',
    retryAfterSeconds: 1,
  });

  /** The records of the events, which are encoded in time slices. */
  const recordsOf = async (
    { accountId, mode }: Owner,
    pending: readonly Pending[],
    validations: Results['validations'],
  ) => {
    const records: OutgoingRecord[] = [];
    const slices = createTimeSlices();
    for (const one of pending) {
      const { id, created, item } = one;
      const { type, data, tenantId = null, attributes } = item;
      const validation = validations.get(one);
      const event = {
        id,
        accountId,
        mode,
        type,
        created,
        data,
        onlyWebhookId: null,
        tenantId,
        ...(attributes && { attributes }),
        ...(validation && { validation }),
      };
      records.push(encodeEvent(event, placementOf(event, partitions)));
      if (slices.isOver()) {
        await slices.next();
      }
    }
    return records;
  };

  const appendAll = async (
    caller: Owner,
    pending: readonly Pending[],
    { validations, since }: AppendRequest,
  ) => {
    const records = await recordsOf(caller, pending, validations);
    const startedAt = performance.now();
    const failures = await appendEach(log, records, partitions, { since });
    metrics.eventAppendSeconds.observe((performance.now() - startedAt) / 1000);
    return failures;
  };

  /** @returns the events that were not appended, with the reasons */
  return async (caller: Owner, pending: readonly Pending[], request: AppendRequest): Promise<Failures> => {
    if (pending.length === 0) {
      return new Map();
    }
    try {
      const failures = await appending.run(caller.accountId, () => appendAll(caller, pending, request));
      return new Map(
        pending.flatMap((one, at) => {
          const failure = failures[at] ?? null;
          return failure === null ? [] : [[one, failure] as const];
        }),
      );
    } catch (error) {
      if (error instanceof UnavailableError) {
        return new Map(pending.map((one) => [one, error]));
      }
      throw error;
    }
  };
}

async function stepsOf(
  items: readonly PostedItem[],
  keys: TakenKeys,
  identity: RequestIdentity,
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  const firstOfName = new Map<string, number>();
  const slices = createTimeSlices();
  for (const [index, item] of items.entries()) {
    const step = stepOf(index, item, { keys, identity, firstOfName });
    steps.push(step);
    if (step.kind === 'append' && step.pending.name !== null) {
      firstOfName.set(step.pending.name, index);
    }
    if (slices.isOver()) {
      await slices.next();
    }
  }
  return steps;
}

interface StepContext {
  readonly keys: TakenKeys;
  readonly identity: RequestIdentity;
  /** The first event with each reservation that the request appends. */
  readonly firstOfName: ReadonlyMap<string, number>;
}

function stepOf(index: number, item: PostedItem, { keys, identity, firstOfName }: StepContext): Step {
  if (isApiError(item)) {
    return { kind: 'known', outcome: item };
  }
  const key = keys.keyOf(index);
  if (key === null) {
    const { isRepeat } = identity;
    const origin = { created: identity.created, seed: identity.itemSeed(String(index)) };
    return { kind: 'append', pending: { ...acceptedFrom(origin), item, name: null, isRepeat } };
  }
  const claim = keys.claimOf(item, key);
  if (isApiError(claim)) {
    return { kind: 'known', outcome: claim };
  }
  if (claim.outcome === 'accepted') {
    const validation = validationIn(claim.answer);
    return { kind: 'known', outcome: { ...acceptedFrom(claim.origin), validation, isReplayed: true } };
  }
  const first = firstOfName.get(key.name);
  // A key that this request has created contains the seed of this request.
  const isRepeat = identity.isRepeat || !claim.origin.seed.equals(key.seed);
  return first === undefined
    ? { kind: 'append', pending: { ...acceptedFrom(claim.origin), item, name: key.name, isRepeat } }
    : { kind: 'same', as: first };
}

function acceptedFrom({ created, seed }: ItemOrigin): AcceptedItem {
  return { id: seededIdentity({ created, seed, isRepeat: false }).id('evt'), created, validation: null };
}

function outcomeOf(step: Step, steps: readonly Step[], results: Results): ItemOutcome {
  switch (step.kind) {
    case 'known':
      return step.outcome;
    case 'append': {
      const { id, created } = step.pending;
      const validation = results.validations.get(step.pending) ?? null;
      return results.errors.get(step.pending) ?? { id, created, validation };
    }
    case 'same': {
      const first = steps[step.as];
      if (first === undefined) {
        throw new Error(`the request has no event ${String(step.as)}`);
      }
      return outcomeOf(first, steps, results);
    }
  }
}
