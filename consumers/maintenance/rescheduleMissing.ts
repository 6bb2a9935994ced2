import { setTimeout as pause } from 'node:timers/promises';

import { inParallel } from '../../shared/concurrency/inParallel.js';
import { messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import { firstTriggerOf } from '../../shared/domain/deliveries/nextStep.js';
import { tenantFieldsOf } from '../../shared/domain/tenants/deliveryTenant.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import { waitForEnds, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { deliveryPartitionsOf } from '../../shared/store/queries/storedDocuments.js';
import type { ResumeDelivery, ResumeInput } from '../engine/resumeDelivery.js';
import { openStatuses, openWebhookIds, unparkedPages } from './openDeliveries.js';

/**
 * Appends the retry records of all open deliveries of a partition again, whether the log has lost them or not.
 * @param partition the partition number in every topic: all records about an event are in its home partition
 * @throws UnavailableError if this process lost the partition meanwhile
 */
export type RescheduleMissing = (partition: number, signal: AbortSignal) => Promise<void>;

/** The reads of open deliveries. Each read throws UnavailableError if the read model cannot be read. */
export type RescheduledReads = Pick<
  ReadModels['events'],
  'findDistinct' | 'findDerived' | 'findInAllAccounts'
>;

export interface RescheduleMissingDependencies {
  readonly models: {
    readonly events: RescheduledReads;
    readonly webhooks: Pick<ReadModels['webhooks'], 'findInAllAccounts'>;
  };
  /** The progress of the model `events`. */
  readonly progress: ModelProgress;
  readonly offsets: Pick<TopicOffsets, 'ends'>;
  /** Reads the committed offsets of first attempts. No process reads an event below them again. */
  readonly committedEvents: () => Promise<readonly (number | null)[]>;
  readonly resumeDelivery: ResumeDelivery;
  readonly logger: Pick<Logger, 'warn'>;
}

/** How long a partition waits for others that share its scan: partitions usually lose records together. */
const batchDelayMs = 100;
const modelTimeoutMs = 10_000;
const retryPauseMs = 1000;
/** The webhooks that are rescheduled at once, each with one page of events. */
const webhooksAtOnce = 8;

/** The partitions of one scan, each with the signal of its assignment. */
type Signals = ReadonlyMap<number, AbortSignal>;

interface Scan {
  readonly signals: Signals;
  /** The committed offsets of first attempts, by partition. */
  readonly committed: readonly (number | null)[];
}

type Owner = Pick<ResumeInput['identity'], 'webhookId' | 'accountId' | 'mode'>;

/**
 * The rescheduling of retries from the read model after the log has lost retry records. Retries whose records were not
 * lost are scheduled twice. One process reads both copies of a retry record, and the second copy finds the outcome of
 * the first copy. So the second copy of a retry record costs a record and a look-up, but no attempt. Requested
 * deliveries without an attempt are not rescheduled, because the log contains their requests. Parked deliveries are
 * skipped in the index, because their owner releases them.
 *
 * A matched delivery without an attempt or a time is scheduled if its event is below the committed offset. No other
 * record leads to its first attempt. This happens only after an operator has set offsets.
 */
export function createRescheduleMissing(dependencies: RescheduleMissingDependencies): RescheduleMissing {
  const { models, progress, offsets, committedEvents, resumeDelivery, logger } = dependencies;
  let batch: { readonly signals: Map<number, AbortSignal>; readonly scan: Promise<void> } | null = null;

  const untilModelIsCurrent = () =>
    waitForEnds({ progress, offsets }, { model: 'events', topic: 'deliveries', timeoutMs: modelTimeoutMs });

  const reschedulePage = async (ids: readonly string[], owner: Owner, { signals, committed }: Scan) => {
    const { documents, meta } = await models.events.findInAllAccounts(ids, { without: ['data'] });
    if (!meta.complete) {
      throw new UnavailableError('the read model "events" is being built from the log');
    }
    const rescheduling = documents.flatMap((event) => {
      const signal = signalOf(event, signals);
      const input = resumeInput(event, owner, committed);
      return input !== null && signal !== undefined ? [resumeDelivery(input, signal)] : [];
    });
    await Promise.all(rescheduling);
  };

  const scan = async (signals: Signals) => {
    await pause(batchDelayMs);
    batch = batch?.signals === signals ? null : batch;
    const untilDone = createUntilDone(signals, logger);
    // The offsets are read first: the model then contains all records of the events below them.
    const committed = await untilDone(committedEvents);
    await untilDone(untilModelIsCurrent);
    // A failed read is repeated inside the generators of pages, so that the scan continues from the same page.
    const events: Pick<RescheduledReads, 'findDistinct' | 'findDerived'> = {
      findDerived: (query) => untilDone(() => models.events.findDerived(query)),
      findDistinct: (query) => untilDone(() => models.events.findDistinct(query)),
    };
    const known = new Set<string>();
    for (const status of openStatuses) {
      for await (const ids of openWebhookIds(events, status)) {
        const unknown = ids.filter((id) => !known.has(id));
        unknown.forEach((id) => known.add(id));
        const owners = await untilDone(() => readActive(models.webhooks, unknown));
        await inParallel(owners, webhooksAtOnce, async (owner) => {
          for await (const page of unparkedPages(events, owner.webhookId)) {
            await untilDone(() => reschedulePage(page, owner, { signals, committed }));
          }
        });
      }
    }
  };

  return (partition, signal) => {
    if (batch === null) {
      const signals = new Map<number, AbortSignal>();
      batch = { signals, scan: scan(signals) };
    }
    batch.signals.set(partition, signal);
    return batch.scan;
  };
}

/**
 * The signal of a partition that may have lost retry records of the event; undefined if this process owns none. The
 * retry records of an event are in the partitions with the numbers of its outcomes.
 */
function signalOf(event: EventDocument, signals: Signals): AbortSignal | undefined {
  const ofEvent = deliveryPartitionsOf(event).map((partition) => signals.get(partition));
  return ofEvent.find((signal) => signal?.aborted === false);
}

/** Repeats failed work until it succeeds, or until this process has lost all partitions of the scan. */
function createUntilDone(signals: Signals, logger: Pick<Logger, 'warn'>) {
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      if ([...signals.values()].every(({ aborted }) => aborted)) {
        throw new UnavailableError('the partitions were lost before all retries were scheduled');
      }
      try {
        return await work();
      } catch (error) {
        logger.warn({ error: messageOf(error) }, 'rescheduling of open deliveries failed and is repeated');
        await pause(retryPauseMs);
      }
    }
  };
}

/** Reads the active webhooks of live mode. The sweep cancels the deliveries of all other webhooks. */
async function readActive(
  webhooks: Pick<ReadModels['webhooks'], 'findInAllAccounts'>,
  ids: readonly string[],
): Promise<readonly Owner[]> {
  const { documents, meta } = await webhooks.findInAllAccounts(ids, { without: ['recordIds'] });
  if (!meta.complete) {
    throw new UnavailableError('the read model "webhooks" is being built from the log');
  }
  return documents.flatMap(({ _id: webhookId, accountId, mode, status }) =>
    status === 'active' && mode === 'live' ? [{ webhookId, accountId, mode }] : [],
  );
}

/** The input that decides the next step of a delivery as if the record that started the cycle were read again. */
function resumeInput(event: EventDocument, owner: Owner, committed: Scan['committed']): ResumeInput | null {
  const { _id: eventId, source, home, deliveries } = event;
  const delivery = deliveries.find(({ webhookId }) => webhookId === owner.webhookId);
  if (delivery === undefined || source === undefined) {
    return null;
  }
  const { cycle, replayId, epoch, nextAttemptAt } = delivery;
  if (nextAttemptAt === null && !isWithoutOwner(delivery, source.offset < (committed[home] ?? 0))) {
    return null;
  }
  const positions = { event: { partition: home, offset: source.offset }, outcome: null };
  const trigger = firstTriggerOf(delivery, event.onlyWebhookId ?? null);
  return {
    identity: {
      eventId,
      ...owner,
      cycle,
      replayId,
      epoch,
      positions,
      ...tenantFieldsOf({ tenantId: event.tenantId, tenancy: delivery.tenancy }),
    },
    source:
      nextAttemptAt === null
        ? { record: 'withdrawal', trigger, cycle }
        : { record: 'request', trigger, cycle, predatesAssignment: true },
    isOverShare: false,
    state: { source, deliveries: [delivery] },
  };
}

/** Whether only the record of the event leads to the delivery's first attempt, and no process reads that record again. */
function isWithoutOwner({ status, cycle, lastNumber }: Delivery, isCommitted: boolean): boolean {
  return isCommitted && status === 'pending' && cycle === 0 && lastNumber === 0;
}
