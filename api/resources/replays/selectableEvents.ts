import { setTimeout as pause } from 'node:timers/promises';

import { withTimeout } from '../../../shared/concurrency/withTimeout.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { ReplaySelection } from '../../../shared/domain/replays/replay.js';
import type { ReplayScope } from '../../../shared/domain/replays/replaySelection.js';
import type { GroupOffsets } from '../../../shared/log/client/groupOffsets.js';
import type { TopicOffsets } from '../../../shared/log/client/topicOffsets.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { allPartitions, type ModelProgress } from '../../../shared/store/models/modelProgress.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { countSelected } from '../../../shared/store/queries/replayCandidates.js';

/** The events that a replay may select from the current log. */
export interface SelectableEvents {
  /** The exclusive end offsets of a replay that starts now, by partition of `events`. */
  below: (only: ReplaySelection) => Promise<readonly number[]>;
  /**
   * The number of events that a replay of this scope would match.
   * @throws UnavailableError if the count exceeds the time limit of a request
   */
  count: (scope: ReplayScope) => Promise<number>;
}

export interface SelectableEventsDependencies {
  readonly events: Pick<ReadModel<EventDocument>, 'countPage' | 'findValues'>;
  /** The progress of the read model `events`. */
  readonly progress: ModelProgress;
  readonly offsets: TopicOffsets;
  readonly groups: Pick<GroupOffsets, 'committed'>;
  /** The consumer group of first attempts. */
  readonly deliveryGroup: string;
}

const logTimeoutMs = 5000;
/** The time limit of a count in the database. */
const countTimeoutMs = 5000;
/**
 * Three commit intervals of the delivery group. Without a backlog, the group has committed its offsets within this
 * time.
 */
const commitPatienceMs = 1500;
const commitPollMs = 100;

export function createSelectableEvents(dependencies: SelectableEventsDependencies): SelectableEvents {
  const { events, progress, offsets, groups, deliveryGroup } = dependencies;

  const committed = () =>
    groups.committed(deliveryGroup, 'events').catch((error: unknown) => {
      throw new UnavailableError('Kafka does not respond', { cause: error });
    });

  /**
   * The offsets below which the first attempts are complete. An event below the committed offset has all of its
   * automatic deliveries. An event after the committed offset may have no delivery yet, so the replay does not treat
   * its deliveries as missing.
   */
  const settledBelow = async (ends: readonly number[]): Promise<readonly number[]> => {
    const deadline = Date.now() + commitPatienceMs;
    for (;;) {
      const offsetsOfGroup = await committed();
      const settled = ends.map((end, partition) => Math.min(end, offsetsOfGroup[partition] ?? 0));
      const isAtEnd = settled.every((offset, partition) => offset === ends[partition]);
      const hasBegun = offsetsOfGroup.some((offset) => offset !== null);
      if (isAtEnd || !hasBegun || Date.now() >= deadline) {
        return settled;
      }
      await pause(commitPollMs);
    }
  };

  const reached = async (topic: 'events' | 'deliveries', below: readonly number[], deadline: number) => {
    if (!(await progress.reached(topic, allPartitions(below), deadline - Date.now()))) {
      throw tooLate;
    }
  };

  return {
    below: async (only) => {
      const ends = await withTimeout(offsets.ends('events'), logTimeoutMs, 'Kafka does not respond');
      return only === 'missing'
        ? withTimeout(settledBelow(ends), logTimeoutMs, 'Kafka does not respond')
        : ends;
    },
    count: async (scope) => {
      const deadline = Date.now() + countTimeoutMs;
      const deliveries = await withTimeout(
        offsets.ends('deliveries'),
        logTimeoutMs,
        'Kafka does not respond',
      );
      await reached('events', scope.eventsBelow, deadline);
      await reached('deliveries', deliveries, deadline);
      const count = await countSelected(events, scope, { isWanted: () => Date.now() < deadline });
      if (count === null) {
        throw tooLate;
      }
      return count;
    },
  };
}

const tooLate = new UnavailableError(
  'the time range contains too many events for dryRun: use a shorter time range, or omit dryRun',
);
