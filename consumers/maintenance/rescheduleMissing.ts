import { setTimeout as pause } from 'node:timers/promises';

import type { AttemptTrigger, Delivery } from '../../shared/domain/deliveries/delivery.js';
import { messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { Logger } from '../../shared/core/logger.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import { allPartitions, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import type { ResumeDelivery, ResumeInput } from '../engine/resumeDelivery.js';
import { inParallel } from './inParallel.js';
import { openPages, openStatuses, openWebhookIds, type OpenDeliveryReads } from './openDeliveries.js';

/**
 * Appends the retry record of every open delivery of a partition's events again, whether it is lost or not.
 * @param partition of each topic: an event's records are in partitions of one number
 * @throws UnavailableError if the partition was lost meanwhile
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
  /** Partitions of each topic. */
  readonly partitions: number;
  readonly logger: Pick<Logger, 'warn'>;
}

/** How long a partition waits for others, which are usually lost together: they share one walk. */
const gatherMs = 100;
const modelTimeoutMs = 10_000;
const retryPauseMs = 1000;
/** A page of each is read, and its records are appended together. */
const webhooksAtOnce = 8;

/** The partitions of one walk, each with the signal of its assignment. */
type Signals = ReadonlyMap<number, AbortSignal>;

/** The owner of a webhook. */
type Owner = Pick<ResumeInput['identity'], 'webhookId' | 'accountId' | 'mode'>;

/**
 * Schedules from the read model what the log contains as a rule: to be used only if the log has lost some of it. What was not
 * lost is scheduled a second time. Copies of a retry record are read by one process, and the second finds the outcome of the
 * first, so a copy costs a record and a look-up, and no attempt. Requested deliveries without an attempt are left to their requests.
 */
export function createRescheduleMissing(dependencies: RescheduleMissingDependencies): RescheduleMissing {
  const { models, progress, offsets, resumeDelivery, partitions, logger } = dependencies;
  let gathering: { readonly signals: Map<number, AbortSignal>; readonly walk: Promise<void> } | null = null;

  const untilAllIsKnown = async () => {
    const ends = await offsets.ends('deliveries');
    if (!(await progress.reached('deliveries', allPartitions(ends), modelTimeoutMs))) {
      throw new UnavailableError('the read model "events" is behind the log');
    }
  };

  const reschedulePage = async (page: readonly EventDocument[], owner: Owner, signals: Signals) => {
    const rescheduling = page.flatMap((event) => {
      const signal = signals.get(partitionOf(event._id, partitions));
      const input = pursuitOf(event, owner);
      const isOurs = signal?.aborted === false;
      return input !== null && isOurs ? [resumeDelivery(input, signal)] : [];
    });
    await Promise.all(rescheduling);
  };

  const walk = async (signals: Signals) => {
    await pause(gatherMs);
    gathering = gathering?.signals === signals ? null : gathering;
    const untilDone = createUntilDone(signals, logger);
    await untilDone(untilAllIsKnown);
    // A read that fails is repeated where it is: the generators of pages never see a failure, so the walk continues from there.
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
    if (gathering === null) {
      const signals = new Map<number, AbortSignal>();
      gathering = { signals, walk: walk(signals) };
    }
    gathering.signals.set(partition, signal);
    return gathering.walk;
  };
}

/** Repeats work that fails, until no partition of the walk belongs to this process any more. */
function createUntilDone(signals: Signals, logger: Pick<Logger, 'warn'>) {
  return async <Result>(engine: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      if ([...signals.values()].every(({ aborted }) => aborted)) {
        throw new UnavailableError('the partitions were lost before all was scheduled');
      }
      try {
        return await engine();
      } catch (error) {
        logger.warn({ error: messageOf(error) }, 'rescheduling of open deliveries waits');
        await pause(retryPauseMs);
      }
    }
  };
}

/** The webhooks whose deliveries are to be scheduled: the sweep cancels those of the others. */
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

/** The next step is decided as though the record that began the cycle were read again. */
function pursuitOf(event: EventDocument, owner: Owner): ResumeInput | null {
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

/** What the first attempt of a cycle is made for. */
function firstTriggerOf({ onlyWebhookId }: EventDocument, { cycle, replayId }: Delivery): AttemptTrigger {
  if (cycle === 0) {
    return (onlyWebhookId ?? null) === null ? 'first' : 'test';
  }
  return replayId === null ? 'resend' : 'replay';
}
