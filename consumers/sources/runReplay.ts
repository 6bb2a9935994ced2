import { sleepUnlessAborted } from '../../shared/concurrency/periodicTask.js';
import { UnavailableError } from '../../shared/core/errors.js';
import type { Actor } from '../../shared/domain/core/fact.js';
import type { Replay } from '../../shared/domain/replays/replay.js';
import { decideReplayCancelation, endedBy } from '../../shared/domain/replays/replayDecisions.js';
import {
  isHandedOver,
  isSelected,
  type ReplayCandidate,
} from '../../shared/domain/replays/replaySelection.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { WorkResult } from '../../shared/log/window/windowedConsumer.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import { allPartitions, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { candidatePage, countSelected } from '../../shared/store/queries/replayCandidates.js';
import type { ReplayCounts } from '../../shared/store/queries/replayCounts.js';
import { storedReplay } from '../../shared/store/queries/storedReplay.js';
import type { WebhookReader } from '../lookups/webhookReader.js';
import { untilReached, type ReplayLog } from './replayLog.js';
import { createReplayPace, type ReplayPace } from './replayPace.js';

export interface RunReplayDependencies {
  readonly models: {
    readonly replays: Pick<ReadModels['replays'], 'findByIds'>;
    readonly events: Pick<ReadModels['events'], 'findPage' | 'findValues' | 'countPage'>;
  };
  readonly progress: { readonly replays: ModelProgress; readonly events: ModelProgress };
  readonly offsets: TopicOffsets;
  readonly webhooks: WebhookReader;
  readonly counts: ReplayCounts;
  readonly log: ReplayLog;
  readonly metrics: Pick<Metrics, 'replayHandOvers'>;
}

/**
 * Runs a replay from its cursor to its end.
 * @returns `abandoned` if the signal was aborted before the end: the next owner of the partition continues the replay
 * @throws UnavailableError if a server is unavailable; the caller runs the replay again
 */
export type RunReplay = (id: string, signal: AbortSignal) => Promise<WorkResult>;

/** The most events that are read for one page of a replay of missing events, few of which may be selected. */
const maximumCandidates = 1000;
const shortestPollMs = 100;
const longestPollMs = 2000;

const service: Actor = { type: 'system', id: null, name: 'replay' };

/**
 * The run of a replay:
 *
 * ```
 *   read models up to date ──► webhook active? ──► counted? ──► pages ──► .completed
 *                                   │  no             │ no        │  ▲
 *                                   ▼                 ▼           ▼  │ .progressed, acknowledged
 *                               .canceled        .progressed   .requested of each event, acknowledged
 * ```
 * The log contains the whole state of a replay. If the process dies between two steps, the next owner of the partition
 * continues from the state in the read models.
 */
export function createRunReplay(dependencies: RunReplayDependencies): RunReplay {
  const { models, progress, offsets, webhooks, counts, log, metrics } = dependencies;

  const read = async (id: string): Promise<Replay | null> => {
    const { documents, meta } = await models.replays.findByIds([id]);
    if (!meta.complete) {
      throw new UnavailableError('the read model "replays" is being built from the log');
    }
    const [document] = documents;
    return document === undefined ? null : storedReplay(document);
  };

  /** Waits until the read models contain all requests of the previous owner of the partition. */
  const untilModelsAreCurrent = async (signal: AbortSignal) => {
    const [events, deliveries, replays] = await Promise.all([
      offsets.ends('events'),
      offsets.ends('deliveries'),
      offsets.ends('replays'),
    ]);
    await untilReached(progress.events, ['events', allPartitions(events)], signal);
    await untilReached(progress.events, ['deliveries', allPartitions(deliveries)], signal);
    await untilReached(progress.replays, ['replays', allPartitions(replays)], signal);
  };

  const hasEnded = async (replay: Replay, signal: AbortSignal): Promise<boolean> => {
    const { accountId, mode, webhookId } = replay;
    // The read of the webhooks is fresh, because the webhook may have been created just before the replay.
    const snapshot = await webhooks.webhooksOf(accountId, mode, { notBefore: performance.now() });
    const reason = endedBy(
      snapshot.webhooks.find(({ id }) => id === webhookId),
      replay,
    );
    const fact = reason === null ? null : decideReplayCancelation(replay, reason, service);
    if (fact === null) {
      return false;
    }
    await log.record(replay, fact, signal);
    return true;
  };

  const count = async (replay: Replay, signal: AbortSignal) => {
    const matched = await countSelected(models.events, replay, { isWanted: () => !signal.aborted });
    if (matched !== null) {
      await log.record(
        replay,
        { type: 'postrider.replay.progressed', value: { matched, cursor: null } },
        signal,
      );
    }
  };

  const requestPage = async (replay: Replay, matched: number, size: number, signal: AbortSignal) => {
    const { events, next } = await nextPage(models.events, replay, size);
    if (signal.aborted) {
      return;
    }
    const isInModel = await log.handOver(replay, events, signal);
    metrics.replayHandOvers.inc(events.length);
    if (!isInModel) {
      return;
    }
    if (next === null) {
      const handedOver = await counts.handedOver(replay.id);
      const value = { matched: handedOver };
      await log.record(replay, { type: 'postrider.replay.completed', value }, signal);
    } else {
      const value = { matched, cursor: next };
      await log.record(replay, { type: 'postrider.replay.progressed', value }, signal);
    }
  };

  /**
   * Takes the next step of a replay.
   * @returns whether the replay has progressed; false if the replay waits for its webhook
   */
  const step = async (replay: Replay, pace: ReplayPace, signal: AbortSignal): Promise<boolean> => {
    if (await hasEnded(replay, signal)) {
      return true;
    }
    if (replay.matched === null) {
      await count(replay, signal);
      return true;
    }
    if (!pace.isDue(await counts.count(replay, 'pending'))) {
      return false;
    }
    await requestPage(replay, replay.matched, pace.pageSize(), signal);
    pace.pageRequested();
    return true;
  };

  return async (id, signal) => {
    await untilModelsAreCurrent(signal);
    const pace = createReplayPace(() => performance.now());
    let pollMs = shortestPollMs;
    while (!signal.aborted) {
      const replay = await read(id);
      if (replay?.status !== 'running') {
        return 'done';
      }
      const hasProgressed = await step(replay, pace, signal);
      pollMs = hasProgressed ? shortestPollMs : Math.min(longestPollMs, pollMs * 1.5);
      await sleepUnlessAborted(signal, hasProgressed ? 0 : pollMs);
    }
    return 'abandoned';
  };
}

/** The next page of events, and the cursor behind the page. The cursor is null if no event follows the page. */
async function nextPage(
  events: RunReplayDependencies['models']['events'],
  replay: Replay,
  size: number,
): Promise<{ readonly events: readonly ReplayCandidate[]; readonly next: Replay['cursor'] }> {
  const limit = replay.filter.only === 'missing' ? maximumCandidates : size;
  const { candidates, next } = await candidatePage(events, replay, { after: replay.cursor, limit });
  const selected = candidates.filter(
    (candidate) => isSelected(candidate, replay) && !isHandedOver(candidate, replay.id),
  );
  const page = selected.slice(0, size);
  const last = page.at(-1);
  const isCut = page.length < selected.length && last !== undefined;
  return { events: page, next: isCut ? { created: last.created, eventId: last.id } : next };
}
