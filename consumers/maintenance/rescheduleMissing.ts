import { setTimeout as pause } from 'node:timers/promises';

import { messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import type { AttemptTrigger } from '../../shared/domain/deliveries/deliveryFacts.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import { allPartitions, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import type { ResumeDelivery, ResumeInput } from '../engine/resumeDelivery.js';
import { inParallel } from '../../shared/concurrency/inParallel.js';
import { openPages, openStatuses, openWebhookIds, type OpenDeliveryReads } from './openDeliveries.js';

/**
 * Appends the retry records of all open deliveries of a partition again, whether the log has lost them or not.
 * @param partition the partition number in every topic: all records of an event are in partitions with one number
 * @throws UnavailableError if this process lost the partition meanwhile
 */
export type RescheduleMissing = (partition: number, signal: AbortSignal) => Promise<void>;

export interface RescheduleMissingDependencies {
  readonly models: {
    readonly events: OpenDeliveryReads;
    readonly webhooks: Pick<ReadModels['webhooks'], 'findByIds'>;
  };
  /** The progress of the model `events`. */
  readonly progress: ModelProgress;
  readonly offsets: Pick<TopicOffsets, 'ends'>;
  readonly resumeDelivery: ResumeDelivery;
  /** The number of partitions of each topic. */
  readonly partitions: number;
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

type Owner = Pick<ResumeInput['identity'], 'webhookId' | 'accountId' | 'mode'>;

/**
 * The rescheduling of retries from the read model after the log has lost retry records. Retries whose records were not
 * lost are scheduled twice. One process reads both copies of a retry record, and the second copy finds the outcome of
 * the first copy. So the second copy of a retry record costs a record and a look-up, but no attempt. Requested
 * deliveries without an attempt are not rescheduled, because the log contains their requests.
 */
export function createRescheduleMissing(dependencies: RescheduleMissingDependencies): RescheduleMissing {
  const { models, progress, offsets, resumeDelivery, partitions, logger } = dependencies;
  let batch: { readonly signals: Map<number, AbortSignal>; readonly scan: Promise<void> } | null = null;

  const untilModelIsCurrent = async () => {
    const ends = await offsets.ends('deliveries');
    if (!(await progress.reached('deliveries', allPartitions(ends), modelTimeoutMs))) {
      throw new UnavailableError('the read model "events" is behind the log');
    }
  };

  const reschedulePage = async (page: readonly EventDocument[], owner: Owner, signals: Signals) => {
    const rescheduling = page.flatMap((event) => {
      const signal = signals.get(partitionOf(event._id, partitions));
      const input = resumeInput(event, owner);
      const isOurs = signal?.aborted === false;
      return input !== null && isOurs ? [resumeDelivery(input, signal)] : [];
    });
    await Promise.all(rescheduling);
  };

  const scan = async (signals: Signals) => {
    await pause(batchDelayMs);
    batch = batch?.signals === signals ? null : batch;
    const untilDone = createUntilDone(signals, logger);
    await untilDone(untilModelIsCurrent);
    // A failed read is repeated inside the generators of pages, so that the scan continues from the same page.
    const events: OpenDeliveryReads = {
      findPage: (query) => untilDone(() => models.events.findPage(query)),
      findDistinct: (query) => untilDone(() => models.events.findDistinct(query)),
    };
    for (const status of openStatuses) {
      for await (const ids of openWebhookIds(events, status)) {
        const owners = await untilDone(() => readActive(models.webhooks, ids));
        await inParallel(owners, webhooksAtOnce, async (owner) => {
          for await (const page of openPages(events, owner.webhookId, status)) {
            await untilDone(() => reschedulePage(page, owner, signals));
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
  webhooks: Pick<ReadModels['webhooks'], 'findByIds'>,
  ids: readonly string[],
): Promise<readonly Owner[]> {
  const { documents, meta } = await webhooks.findByIds(ids, { without: ['recordIds'] });
  if (!meta.complete) {
    throw new UnavailableError('the read model "webhooks" is being built from the log');
  }
  return documents.flatMap(({ _id: webhookId, accountId, mode, status }) =>
    status === 'active' && mode === 'live' ? [{ webhookId, accountId, mode }] : [],
  );
}

/** The input that decides the next step of a delivery as if the record that started the cycle were read again. */
function resumeInput(event: EventDocument, owner: Owner): ResumeInput | null {
  const { _id: eventId, source, deliveries } = event;
  const delivery = deliveries.find(({ webhookId }) => webhookId === owner.webhookId);
  if (delivery === undefined || source === undefined || delivery.nextAttemptAt === null) {
    return null;
  }
  const { cycle, replayId, epoch } = delivery;
  return {
    identity: { eventId, ...owner, cycle, replayId, epoch, positions: { event: source, outcome: null } },
    source: { record: 'request', trigger: firstTriggerOf(event, delivery), cycle, predatesAssignment: true },
    isOverShare: false,
    state: { source, deliveries: [delivery] },
  };
}

/** The trigger of a cycle's first attempt. */
function firstTriggerOf({ onlyWebhookId }: EventDocument, { cycle, replayId }: Delivery): AttemptTrigger {
  if (cycle === 0) {
    return (onlyWebhookId ?? null) === null ? 'first' : 'test';
  }
  return replayId === null ? 'resend' : 'replay';
}
