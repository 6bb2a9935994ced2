import type { Clock } from '../../shared/core/clock.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import type { Replay, ReplayFact } from '../../shared/domain/replays/replay.js';
import { handOver } from '../../shared/domain/replays/replayDecisions.js';
import type { ReplayCandidate } from '../../shared/domain/replays/replaySelection.js';
import { tenantFieldsOf, tenantContext } from '../../shared/domain/tenants/deliveryTenant.js';
import type { OutgoingRecord } from '../../shared/log/encoding/record.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import { replayRecords } from '../../shared/log/records/replays.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import {
  offsetsBehind,
  type AwaitedOffsets,
  type ModelProgress,
} from '../../shared/store/models/modelProgress.js';

/**
 * The log of a replay. Each append waits until the read models contain its records, because the read models decide the
 * next step of the replay.
 */
export interface ReplayLog {
  readonly record: (replay: Replay, fact: ReplayFact, signal: AbortSignal) => Promise<void>;
  /**
   * Requests another cycle of the delivery for each event.
   * @returns false if the signal was aborted before the model contained the requests
   */
  readonly handOver: (
    replay: Replay,
    events: readonly ReplayCandidate[],
    signal: AbortSignal,
  ) => Promise<boolean>;
}

export interface ReplayLogDependencies {
  /** A log that repeats each append until it is acknowledged. */
  readonly log: LogAppender;
  readonly progress: { readonly replays: ModelProgress; readonly events: ModelProgress };
  readonly identifiers: Identifiers;
  readonly clock: Clock;
}

type TenantFields = ReturnType<typeof tenantContext>;

/** The interval at which a wait checks whether the partition was lost, in milliseconds. */
const longestWaitMs = 500;

/**
 * Waits until a model has read a topic up to the given offsets.
 * @returns false if the signal was aborted before
 */
export async function untilReached(
  progress: ModelProgress,
  [topic, offsets]: readonly [TopicName, AwaitedOffsets],
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    if (await progress.reached(topic, offsets, longestWaitMs)) {
      return true;
    }
  }
  return false;
}

export function createReplayLog({ log, progress, identifiers, clock }: ReplayLogDependencies): ReplayLog {
  const contextOf = ({ accountId, mode }: Replay, key: string, tenant: TenantFields) => {
    const at = clock();
    return { id: identifiers.createRecordId(at), key, accountId, mode, at, ...tenant };
  };

  const append = async (records: readonly OutgoingRecord[]): Promise<AwaitedOffsets> =>
    offsetsBehind(await Promise.all(records.map((record) => log.append(record))));

  return {
    record: async (replay, fact, signal) => {
      const tenant = tenantFieldsOf(replay);
      const ends = await append([replayRecords.encode(fact, contextOf(replay, replay.id, tenant))]);
      await untilReached(progress.replays, ['replays', ends], signal);
    },
    handOver: async (replay, events, signal) => {
      const ends = await append(
        events.map(({ id, source, delivery, tenantId }) =>
          deliveryRecords.encode(
            handOver(replay, delivery?.cycle ?? null),
            contextOf(replay, id, tenantContext({ tenantId, tenancy: replay.tenancy }, source.offset)),
            source.partition,
          ),
        ),
      );
      return untilReached(progress.events, ['deliveries', ends], signal);
    },
  };
}
