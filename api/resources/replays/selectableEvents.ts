import { setTimeout as pause } from 'node:timers/promises';

import { withTimeout } from '../../../shared/concurrency/withTimeout.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { ReplayFilter } from '../../../shared/domain/replays/replay.js';
import { selectedDeliveries, type ReplayScope } from '../../../shared/domain/replays/replaySelection.js';
import type { Webhook } from '../../../shared/domain/webhooks/webhook.js';
import type { Filters } from '../../../shared/filters/filters.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { allPartitions, reachedEnds, type ModelAndLog } from '../../../shared/store/models/modelProgress.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { countMatching } from '../../../shared/store/queries/filteredCandidates.js';
import type { SelectedCount } from '../../../shared/store/queries/replayCandidates.js';
import type { TakenUp } from '../../catchUp/takenUp.js';

/** The events that a replay may select from the current log. */
export interface SelectableEvents {
  /**
   * The exclusive end offsets of a replay to the webhook that starts now, by partition of `events`. If the filter selects
   * events without a delivery, the replay excludes events that may still get their own delivery. A canceled replay would
   * end that delivery.
   */
  below: (filter: ReplayFilter, webhook: Pick<Webhook, 'eventsFrom'>) => Promise<readonly number[]>;
  /**
   * The number of events that a replay of this scope would match. The count is not complete if it exceeds the time
   * limit of a request.
   * @throws UnavailableError if the read model is behind the log
   */
  count: (scope: ReplayScope) => Promise<SelectedCount>;
}

/** The progress is that of the read model `events`. */
export interface SelectableEventsDependencies extends ModelAndLog {
  readonly events: Pick<ReadModel<EventDocument>, 'countPage' | 'findPage' | 'findValues'>;
  readonly takenUp: Pick<TakenUp, 'snapshot'>;
  readonly filters: Filters;
  /** How long a selection waits for the commits of the delivery group, in milliseconds. */
  readonly commitPatienceMs?: number;
}

const logTimeoutMs = 5000;
/** The time limit of a count in the database. */
const countTimeoutMs = 5000;
/**
 * Three commit intervals of the delivery group. Without a backlog, the group has committed its offsets within this
 * time.
 */
const defaultCommitPatienceMs = 1500;
const commitPollMs = 100;

export function createSelectableEvents(dependencies: SelectableEventsDependencies): SelectableEvents {
  const { events, progress, offsets, takenUp, filters } = dependencies;
  const { commitPatienceMs = defaultCommitPatienceMs } = dependencies;

  /**
   * The offsets below which the sets of deliveries are known. The log contains all automatic deliveries of an event
   * below the taken-up offset. An event after the taken-up offset may have no delivery yet, so the replay does not
   * treat its deliveries as missing. An event from before the webhook has no automatic delivery at all.
   */
  const settledBelow = async (
    ends: readonly number[],
    { eventsFrom }: Pick<Webhook, 'eventsFrom'>,
  ): Promise<readonly number[]> => {
    const deadline = Date.now() + commitPatienceMs;
    for (;;) {
      const { takenUp: offsetsTakenUp, committed } = await takenUp.snapshot();
      const settled = ends.map((end, partition) =>
        Math.min(end, Math.max(offsetsTakenUp[partition] ?? 0, eventsFrom[partition] ?? 0)),
      );
      const isAtEnd = settled.every((offset, partition) => offset === ends[partition]);
      const hasBegun = committed.some((offset) => offset !== null);
      if (isAtEnd || !hasBegun || Date.now() >= deadline) {
        return settled;
      }
      await pause(commitPollMs);
    }
  };

  return {
    below: async (filter, webhook) => {
      const ends = await withTimeout(offsets.ends('events'), logTimeoutMs, 'Kafka does not respond');
      return selectedDeliveries(filter).missing
        ? withTimeout(settledBelow(ends, webhook), logTimeoutMs, 'Kafka does not respond')
        : ends;
    },
    count: async (scope) => {
      const deadline = Date.now() + countTimeoutMs;
      const reached = await Promise.all([
        progress.reached('events', allPartitions(scope.eventsBelow), countTimeoutMs),
        reachedEnds(dependencies, 'deliveries', countTimeoutMs),
      ]);
      if (reached.includes(false)) {
        throw new UnavailableError('the read model "events" is behind the log');
      }
      return countMatching({ events, filters }, scope, { isWanted: () => Date.now() < deadline });
    },
  };
}
