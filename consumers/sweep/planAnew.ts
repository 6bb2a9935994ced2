import { setTimeout as pause } from 'node:timers/promises';

import type { AttemptTrigger, Delivery } from '../../shared/domain/delivery.js';
import { UnavailableError } from '../../shared/errors.js';
import type { TopicOffsets } from '../../shared/kafka/topicOffsets.js';
import type { EventDocument } from '../../shared/mongo/documents.js';
import { allPartitions, type ModelProgress } from '../../shared/mongo/modelProgress.js';
import type { ReadModels } from '../../shared/mongo/readModels.js';
import { partitionOf } from '../../shared/topics/partition.js';
import type { PursuePair, Pursuit } from '../delivery/pursuePair.js';
import { openPages, openStatuses, type WebhookOwner } from './openDeliveries.js';

/**
 * Appends the work record of every open delivery of a partition's events again, whether it is lost or not.
 * @param partition of each topic: an event's records are in partitions of one number
 * @throws UnavailableError where the log or a read model is away, or behind; to be tried again
 */
export type PlanAnew = (partition: number, signal: AbortSignal) => Promise<void>;

export interface PlanAnewDependencies {
  readonly models: Pick<ReadModels, 'events' | 'webhooks'>;
  /** The progress of the model `events`. */
  readonly progress: ModelProgress;
  readonly offsets: TopicOffsets;
  readonly pursuePair: PursuePair;
  /** Partitions of each topic. */
  readonly partitions: number;
}

/** So long a partition waits for others, which are lost with it as a rule: one walk over the webhooks is for all of them. */
const gatherMs = 100;
const modelTimeoutMs = 10_000;

/**
 * Plans from the read model what waits in the log as a rule: to be used only where the log has lost some of it. What was not
 * lost is planned a second time. Copies of a work record meet in one process, and the second finds the outcome of the first, so
 * that costs a record and a look-up, and no attempt. Deliveries that were asked for and not begun are left to their requests.
 */
export function createPlanAnew(dependencies: PlanAnewDependencies): PlanAnew {
  const { models, progress, offsets, pursuePair, partitions } = dependencies;
  let gathering: { readonly signals: Map<number, AbortSignal>; readonly walk: Promise<void> } | null = null;

  const untilAllIsKnown = async () => {
    const ends = await offsets.ends('deliveries');
    if (!(await progress.reached('deliveries', allPartitions(ends), modelTimeoutMs))) {
      throw new UnavailableError('the read model "events" is behind the log');
    }
  };

  const planPage = async (page: readonly EventDocument[], webhook: WebhookOwner, signals: Signals) => {
    const planning = page.flatMap((event) => {
      const signal = signals.get(partitionOf(event._id, partitions));
      const pursuit = pursuitOf(event, webhook);
      const isOurs = signal?.aborted === false;
      return pursuit !== null && isOurs ? [pursuePair(pursuit, signal)] : [];
    });
    await Promise.all(planning);
  };

  const walk = async (signals: Signals) => {
    await pause(gatherMs);
    gathering = gathering?.signals === signals ? null : gathering;
    await untilAllIsKnown();
    const { documents } = await models.webhooks.findAll({ status: 'active', mode: 'live' });
    for (const { _id: id, accountId, mode } of documents) {
      for (const status of openStatuses) {
        for await (const page of openPages(models.events, { id, accountId, mode }, status)) {
          await planPage(page, { id, accountId, mode }, signals);
        }
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

type Signals = ReadonlyMap<number, AbortSignal>;

/** What is next is decided as though the record that began the cycle were met again. */
function pursuitOf(event: EventDocument, { id: webhookId, accountId, mode }: WebhookOwner): Pursuit | null {
  const { _id: eventId, source, deliveries } = event;
  const delivery = deliveries.find((candidate) => candidate.webhookId === webhookId);
  if (delivery === undefined || source === undefined || delivery.nextAttemptAt === null) {
    return null;
  }
  const { cycle, replayId, epoch } = delivery;
  return {
    identity: {
      ...{ eventId, accountId, mode, webhookId, cycle, replayId, epoch },
      positions: { event: source, outcome: null },
    },
    met: { record: 'request', trigger: firstTriggerOf(event, delivery), cycle, stoodAtAssignment: true },
    isCrowded: false,
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
