import type { Clock } from '../../shared/core/clock.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import { isUnattempted } from '../../shared/domain/deliveries/replayWithdrawal.js';
import type { Replay } from '../../shared/domain/replays/replay.js';
import { withdraw } from '../../shared/domain/replays/replayDecisions.js';
import { tenantOfDelivery } from '../../shared/domain/tenants/deliveryTenant.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import type { WorkResult } from '../../shared/log/window/retryingHandler.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import { eventIndexes } from '../../shared/store/models/indexes.js';
import { allPartitions, offsetsBehind, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { outcomeKey } from '../../shared/store/queries/replayCounts.js';
import { readReplay } from '../lookups/replayReader.js';
import { untilReached } from './replayLog.js';

export interface WithdrawReplayDependencies {
  readonly models: {
    readonly replays: Pick<ReadModels['replays'], 'findInAllAccounts'>;
    readonly events: Pick<ReadModels['events'], 'findPage'>;
  };
  readonly progress: { readonly replays: ModelProgress; readonly events: ModelProgress };
  readonly offsets: Pick<TopicOffsets, 'ends'>;
  /** A log that repeats each append until it is acknowledged. */
  readonly log: LogAppender;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
}

/**
 * Withdraws all deliveries that a canceled replay has requested and that were not attempted.
 * @param record the record that canceled the replay
 * @param runEnded resolves when this process no longer runs the replay
 * @returns `abandoned` if the signal was aborted before the end: the next owner of the partition reads the record again
 * @throws UnavailableError if a server is unavailable; the caller tries again
 */
export type WithdrawReplay = (
  replayId: string,
  { record, runEnded }: { readonly record: RawRecord; readonly runEnded: () => Promise<void> },
  signal: AbortSignal,
) => Promise<WorkResult>;

const pageSize = 200;

/**
 * The deliveries of a canceled replay end at once, because a webhook that hangs would leave them open for long.
 *
 * ```
 *   `.canceled` of the replay ──► in the model ──► pages ──► run ended ──► requests of the run in the model ──► pages ──► done
 * ```
 * A process that was paused may append requests even later. They end when `deliver` handles them.
 */
export function createWithdrawReplay(dependencies: WithdrawReplayDependencies): WithdrawReplay {
  const { models, progress, offsets, log, identifiers, clock } = dependencies;

  const append = ({ accountId, mode }: Replay, { event, delivery }: Requested) => {
    const at = clock();
    const { _id: key, home } = event;
    const tenant = tenantOfDelivery(event, delivery);
    const context = { id: identifiers.createRecordId(at), key, accountId, mode, at, ...tenant };
    return log.append(deliveryRecords.encode(withdraw(delivery), context, home));
  };

  const withdrawAll = async (replay: Replay, signal: AbortSignal): Promise<void> => {
    const known = new Set<string>();
    while (!signal.aborted) {
      const page = await requestedPage(models.events, replay);
      // A delivery that stays on the page cannot be withdrawn, so the loop must end.
      const requested = page.filter(({ event }) => !known.has(event._id));
      if (requested.length === 0) {
        return;
      }
      const positions = await Promise.all(requested.map((one) => append(replay, one)));
      await untilReached(progress.events, ['deliveries', offsetsBehind(positions)], signal);
      requested.forEach(({ event }) => known.add(event._id));
    }
  };

  return async (replayId, { record, runEnded }, signal) => {
    await untilReached(progress.replays, ['replays', offsetsBehind([record])], signal);
    const replay = await readReplay(models.replays, replayId);
    if (replay?.status !== 'canceled') {
      return signal.aborted ? 'abandoned' : 'done';
    }
    await withdrawAll(replay, signal);
    await runEnded();
    const deliveries = allPartitions(await offsets.ends('deliveries'));
    await untilReached(progress.events, ['deliveries', deliveries], signal);
    await withdrawAll(replay, signal);
    return signal.aborted ? 'abandoned' : 'done';
  };
}

interface Requested {
  readonly event: EventDocument;
  readonly delivery: Delivery;
}

/** The first deliveries that the replay has requested and that were not attempted. */
async function requestedPage(
  events: Pick<ReadModels['events'], 'findPage'>,
  { id, webhookId }: Replay,
): Promise<readonly Requested[]> {
  const delivery = { webhookId, replayId: id, status: 'pending', lastNumber: 0 };
  const page = await events.findPage({
    ranges: [
      { filter: { replayed: outcomeKey(id, 'pending'), deliveries: { $elemMatch: delivery } }, sort: {} },
    ],
    limit: pageSize,
    index: eventIndexes.byReplay.key,
    without: ['data'],
  });
  return page.flatMap((event) => requestedIn(event, webhookId, id));
}

function requestedIn(event: EventDocument, webhookId: string, replayId: string): readonly Requested[] {
  const delivery = event.deliveries.find((one) => one.webhookId === webhookId);
  return delivery !== undefined && isUnattempted(delivery, replayId) ? [{ event, delivery }] : [];
}
