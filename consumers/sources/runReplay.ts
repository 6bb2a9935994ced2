import { sleepUnlessAborted } from '../../shared/concurrency/periodicTask.js';
import type { Actor } from '../../shared/domain/core/fact.js';
import type { Replay } from '../../shared/domain/replays/replay.js';
import { decideReplayCancelation, endedBy } from '../../shared/domain/replays/replayDecisions.js';
import {
  hasCodes,
  isHandedOver,
  isSelected,
  type ReplayCandidate,
} from '../../shared/domain/replays/replaySelection.js';
import type { Filters } from '../../shared/filters/filters.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { WorkResult } from '../../shared/log/window/retryingHandler.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import { allPartitions, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { countMatching, firstMatching } from '../../shared/store/queries/filteredCandidates.js';
import { candidatePage } from '../../shared/store/queries/replayCandidates.js';
import type { ReplayCounts } from '../../shared/store/queries/replayCounts.js';
import { readReplay } from '../lookups/replayReader.js';
import type { WebhookReader } from '../lookups/webhookReader.js';
import { untilReached, type ReplayLog } from './replayLog.js';
import { createReplayPace, type ReplayPace } from './replayPace.js';

export interface RunReplayDependencies {
  readonly models: {
    readonly replays: Pick<ReadModels['replays'], 'findInAllAccounts'>;
  };
  /** The reads of events for a replay, which accounts and tenants share. */
  readonly eventsOf: (replay: Replay) => Pick<ReadModels['events'], 'findPage' | 'findValues' | 'countPage'>;
  readonly progress: { readonly replays: ModelProgress; readonly events: ModelProgress };
  readonly offsets: TopicOffsets;
  readonly webhooks: Pick<WebhookReader, 'webhookOf'>;
  readonly filters: Filters;
  readonly counts: Pick<ReplayCounts, 'count' | 'handedOver'>;
  readonly log: ReplayLog;
  readonly metrics: Pick<Metrics, 'replayHandOvers'>;
}

/**
 * Runs a replay from its cursor to its end.
 * @returns `abandoned` if the signal was aborted before the end: the next owner of the partition continues the replay
 * @throws UnavailableError if a server is unavailable; the caller runs the replay again
 */
export type RunReplay = (id: string, signal: AbortSignal) => Promise<WorkResult>;

/** The most events that are read for one page of a replay that may select few of the events that it reads. */
const maximumCandidates = 1000;
const shortestPollMs = 100;
/** A replay ends within two seconds after its webhook was disabled or deleted, so the run looks more often. */
const longestPollMs = 1000;

const service: Actor = { type: 'system', id: null, name: 'replay' };

/**
 * The run of a replay:
 *
 * ```
 *   read models up to date ──► webhook active? ──► counted? ──► pages ──► all attempted? ──► .completed
 *                                   │  no             │ no        │  ▲
 *                                   ▼                 ▼           ▼  │ .progressed, acknowledged
 *                               .canceled        .progressed   .requested of each event, acknowledged
 * ```
 * The log contains the whole state of a replay. If the process dies between two steps, the next owner of the partition
 * continues from the state in the read models.
 *
 * A replay is completed when each of its deliveries has an attempt or an end. Until then it can be canceled, and its
 * parked deliveries end with it. The cursor stays before the last page, so the next owner of the partition finds all
 * deliveries of that page requested, and waits too.
 */
export function createRunReplay(dependencies: RunReplayDependencies): RunReplay {
  const { models, eventsOf, progress, offsets, webhooks, filters, counts, log, metrics } = dependencies;

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
    // The read of the webhook is fresh, because the webhook may have been created just before the replay.
    const { webhook } = await webhooks.webhookOf(replay, { notBefore: performance.now() });
    const reason = endedBy(webhook, replay);
    const fact = reason === null ? null : decideReplayCancelation(replay, reason, service);
    if (fact === null) {
      return false;
    }
    await log.record(replay, fact, signal);
    return true;
  };

  const count = async (replay: Replay, signal: AbortSignal) => {
    const { matched, complete } = await countMatching({ events: eventsOf(replay), filters }, replay, {
      isWanted: () => !signal.aborted,
    });
    if (complete) {
      await log.record(
        replay,
        { type: 'postrider.replay.progressed', value: { matched, cursor: null } },
        signal,
      );
    }
  };

  /** Requests at most `size` deliveries. Returns how many were requested. */
  const requestPage = async (
    replay: Replay,
    { matched, size, sent }: { matched: number; size: number; sent: ReplayRun['sent'] },
    signal: AbortSignal,
  ) => {
    const { events, next } = await nextPage({ events: eventsOf(replay), filters }, replay, size);
    if (signal.aborted) {
      return 0;
    }
    const isInModel = await log.handOver(replay, events, signal);
    metrics.replayHandOvers.inc(events.length);
    if (!isInModel) {
      return events.length;
    }
    if (next === null) {
      sent.omitted = Math.max(0, matched - (await counts.handedOver(replay.id)));
    } else {
      const value = { matched, cursor: next };
      await log.record(replay, { type: 'postrider.replay.progressed', value }, signal);
    }
    return events.length;
  };

  const complete = async (
    replay: Replay,
    value: { readonly matched: number; readonly omitted: number },
    signal: AbortSignal,
  ): Promise<boolean> => {
    await log.record(replay, { type: 'postrider.replay.completed', value }, signal);
    return true;
  };

  /**
   * Takes the next step of a replay.
   * @returns whether the replay has progressed; false if the replay waits for its webhook
   */
  const step = async (replay: Replay, { pace, sent }: ReplayRun, signal: AbortSignal): Promise<boolean> => {
    if (await hasEnded(replay, signal)) {
      return true;
    }
    if (replay.matched === null) {
      await count(replay, signal);
      return true;
    }
    const { matched } = replay;
    const pending = await counts.count(replay, 'pending');
    if (sent.omitted !== null) {
      return pending === 0 && complete(replay, { matched, omitted: sent.omitted }, signal);
    }
    if (!pace.isDue(pending)) {
      return false;
    }
    const before = sent.count ?? (await counts.handedOver(replay.id));
    // A replay sends at most what it has counted: a delivery that fails after the count would match too.
    const size = Math.min(pace.pageSize(), matched - before);
    sent.count = before + (await requestPage(replay, { matched, size, sent }, signal));
    pace.pageRequested();
    return true;
  };

  return async (id, signal) => {
    await untilModelsAreCurrent(signal);
    const pace = createReplayPace(() => performance.now());
    const sent: ReplayRun['sent'] = { count: null, omitted: null };
    let pollMs = shortestPollMs;
    while (!signal.aborted) {
      const replay = await readReplay(models.replays, id);
      if (replay?.status !== 'running') {
        return 'done';
      }
      const hasProgressed = await step(replay, { pace, sent }, signal);
      pollMs = hasProgressed ? shortestPollMs : Math.min(longestPollMs, pollMs * 1.5);
      await sleepUnlessAborted(signal, hasProgressed ? 0 : pollMs);
    }
    return 'abandoned';
  };
}

interface ReplayRun {
  readonly pace: ReplayPace;
  /**
   * How many deliveries were requested; null before the first page of the run. A count of all at each page would take
   * longer with each page. After a restart the records of replays that have ended are read again, and count nothing.
   * `omitted` is the number of selected events that the replay has not requested; null before its last page.
   */
  readonly sent: { count: number | null; omitted: number | null };
}

/** The next page of events, and the cursor behind the page. The cursor is null if no event follows the page. */
async function nextPage(
  {
    events,
    filters,
  }: { readonly events: ReturnType<RunReplayDependencies['eventsOf']>; readonly filters: Filters },
  replay: Replay,
  size: number,
): Promise<{ readonly events: readonly ReplayCandidate[]; readonly next: Replay['cursor'] }> {
  if (size <= 0) {
    return { events: [], next: null };
  }
  const limit = isSparse(replay) ? maximumCandidates : size;
  const { candidates, next } = await candidatePage(events, replay, { after: replay.cursor, limit });
  const selected = candidates.filter(
    (candidate) => isSelected(candidate, replay) && !isHandedOver(candidate, replay.id),
  );
  const page = await firstMatching({ events, filters }, replay, { candidates: selected, limit: size });
  const last = page.at(-1);
  const isCut = page.length === size && last !== undefined && last !== selected.at(-1);
  return { events: page, next: isCut ? { created: last.created, eventId: last.id } : next };
}

function isSparse({ filter, webhookFilter }: Replay): boolean {
  return (
    webhookFilter !== undefined ||
    filter.only === 'missing' ||
    filter.only === 'undelivered' ||
    hasCodes(filter)
  );
}
