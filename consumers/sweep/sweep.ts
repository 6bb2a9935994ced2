import type { EndOffsets, TopicOffsets } from '../../shared/kafka/topicOffsets.js';
import type { Logger } from '../../shared/logger.js';
import { allPartitions, hasReached } from '../../shared/mongo/modelProgress.js';
import type { MetaDocument } from '../../shared/mongo/generations.js';
import type { ReadModels } from '../../shared/mongo/readModels.js';
import { createPasses, type Passes } from '../../shared/passes.js';
import type { CancelOpenDeliveries } from './cancelOpenDeliveries.js';
import { readEndedWebhooks, type EndedWebhook } from './endedWebhooks.js';

export interface SweepDependencies {
  readonly models: Pick<ReadModels, 'webhooks' | 'events'>;
  readonly offsets: TopicOffsets;
  readonly cancelOpen: CancelOpenDeliveries;
  readonly logger: Logger;
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  /**
   * How long after a webhook has ended an attempt that began before may still plan a next one, in milliseconds:
   * for that long, and until the model knows all of that time, the webhook is swept again and again.
   */
  readonly settledAfterMs: number;
}

export interface Sweep extends Passes {
  /** Sweeps everything once more: to be called when this process got more to work on. */
  startAnew: () => void;
}

/** A webhook that is being swept, since when, and where `deliveries` ended once the last attempt must have ended. */
interface Sweeping {
  readonly openFromEpoch: number;
  readonly since: number;
  readonly lastEnds: EndOffsets | null;
  /** Whether no open delivery of it can be found any more. */
  readonly settled: boolean;
}

const pauseBetweenPassesMs = 1000;

/**
 * Cancels open deliveries of webhooks that were deleted or disabled, so that nobody waits a day for what will not come.
 * A work record that comes due later finds its delivery canceled. Nothing is remembered beyond the process: at its
 * start everything is swept.
 *
 * ```
 *   ended webhook found ──► swept every second ──► settled, once the model has passed the end that `deliveries` had
 *                                                  when the last attempt from before must have ended
 * ```
 */
export function createSweep(dependencies: SweepDependencies): Sweep {
  const { models, offsets, cancelOpen, logger, now, settledAfterMs } = dependencies;
  let sweeping = new Map<string, Sweeping>();
  let ended: readonly EndedWebhook[] = [];
  let readAt: MetaDocument['positions'] | null = null;

  /** Reads the webhooks again only where the model has moved on. */
  const findEnded = async () => {
    const { positions } = await models.webhooks.recentMeta();
    if (JSON.stringify(positions) !== JSON.stringify(readAt)) {
      ended = await readEndedWebhooks(models.webhooks);
      readAt = positions;
    }
  };

  const settles = async ({ lastEnds }: Sweeping) =>
    lastEnds !== null && hasReached(await models.events.meta(), 'deliveries', allPartitions(lastEnds));

  const endsWhereLate = async ({ since, lastEnds }: Sweeping) =>
    lastEnds === null && now() - since >= settledAfterMs ? offsets.ends('deliveries') : lastEnds;

  const sweepOne = async (webhook: EndedWebhook, states: Map<string, Sweeping>, signal: AbortSignal) => {
    const { id, ended: how, openFromEpoch } = webhook;
    const known = states.get(id);
    const state =
      known?.openFromEpoch === openFromEpoch
        ? known
        : { openFromEpoch, since: now(), lastEnds: null, settled: false };
    if (state.settled) {
      return;
    }
    // Asked before the pass: it is the last one where the model holds everything by then.
    const settled = await settles(state);
    const canceled = await cancelOpen(webhook, signal);
    if (canceled > 0) {
      logger.info({ webhookId: id, canceled, ended: how }, 'open deliveries were canceled');
    }
    states.set(id, { ...state, lastEnds: await endsWhereLate(state), settled });
  };

  const pass = async (signal: AbortSignal) => {
    const states = sweeping;
    await findEnded();
    for (const webhook of ended) {
      if (signal.aborted) {
        return;
      }
      await sweepOne(webhook, states, signal);
    }
  };

  const passes = createPasses({
    ...{ pass, logger },
    restMs: pauseBetweenPassesMs,
    warning: 'deliveries of webhooks that have ended wait to be canceled',
  });
  return {
    ...passes,
    startAnew: () => {
      // A pass that is under way goes on with the old states, and what it settles does not count.
      sweeping = new Map();
    },
  };
}
