import type { Actor } from '../../shared/domain/core/fact.js';
import type { Replay } from '../../shared/domain/replays/replay.js';
import { decideReplayCancelation, endedBy } from '../../shared/domain/replays/replayDecisions.js';
import {
  isHandedOver,
  isSelected,
  type ReplayCandidate,
} from '../../shared/domain/replays/replaySelection.js';
import { UnavailableError } from '../../shared/core/errors.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { WorkResult } from '../../shared/log/window/windowedConsumer.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import { allPartitions, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { candidatePage, countSelected } from '../../shared/store/queries/replayCandidates.js';
import type { ReplayCounts } from '../../shared/store/queries/replayCounts.js';
import { storedReplay } from '../../shared/store/queries/storedReplay.js';
import { sleepUnlessAborted } from '../../shared/concurrency/periodicTask.js';
import type { WebhookReader } from '../lookups/webhookReader.js';
import { createReplayPace, type ReplayPace } from './replayPace.js';
import { untilReached, type ReplayLog } from './replayLog.js';

export interface RunReplayDependencies {
  readonly models: {
    readonly replays: Pick<ReadModels['replays'], 'findByIds'>;
    readonly events: Pick<ReadModels['events'], 'findPage' | 'countPage'>;
  };
  readonly progress: { readonly replays: ModelProgress; readonly events: ModelProgress };
  readonly offsets: TopicOffsets;
  readonly webhooks: WebhookReader;
  readonly counts: ReplayCounts;
  readonly log: ReplayLog;
  readonly metrics: Pick<Metrics, 'replayHandOvers'>;
}

/**
 * Takes a replay to its end, from wherever it stands. `abandoned` where the signal came before that: whoever has it next goes on.
 * @throws UnavailableError where a server is away; to be run again
 */
export type RunReplay = (id: string, signal: AbortSignal) => Promise<WorkResult>;

/** Where few of many events are selected, so many are looked at for one page. */
const lookedAtForMissing = 1000;
const shortestPollMs = 100;
const longestPollMs = 2000;

const service: Actor = { type: 'system', id: null, name: 'replay' };

/**
 * ```
 *   the models know all that is in the log ──► webhook active? ──► counted? ──► pages ──► .completed
 *                                                   │  no             │ no        │  ▲
 *                                                   ▼                 ▼           ▼  │ .progressed, acknowledged
 *                                               .canceled        .progressed   .requested of each event, acknowledged
 * ```
 * All that it goes by stands in the log: what dies between two of these steps goes on where the models say that it was.
 */
export function createRunReplay(dependencies: RunReplayDependencies): RunReplay {
  const { models, progress, offsets, webhooks, counts, log, metrics } = dependencies;

  const read = async (id: string): Promise<Replay | null> => {
    const { documents, meta } = await models.replays.findByIds([id]);
    if (!meta.complete) {
      throw new UnavailableError('the replays are being read from the log');
    }
    const [document] = documents;
    return document === undefined ? null : storedReplay(document);
  };

  /** Whoever ran it before has left no hand-over that is not known then. */
  const untilKnown = async (signal: AbortSignal) => {
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
    // As it is now: in what was read a moment ago the webhook may be missing for which the replay was asked for.
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
    const matched = await countSelected(models.events, replay, { goesOn: () => !signal.aborted });
    if (matched !== null) {
      await log.record(
        replay,
        { type: 'postrider.replay.progressed', value: { matched, cursor: null } },
        signal,
      );
    }
  };

  const handOverPage = async (replay: Replay, matched: number, size: number, signal: AbortSignal) => {
    const { events, next } = await nextPage(models.events, replay, size);
    if (signal.aborted) {
      return;
    }
    const isKnown = await log.handOver(replay, events, signal);
    metrics.replayHandOvers.inc(events.length);
    if (!isKnown) {
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

  /** @returns whether it has moved on; false where it has to wait for its webhook */
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
    await handOverPage(replay, replay.matched, pace.pageSize(), signal);
    pace.handedOver();
    return true;
  };

  return async (id, signal) => {
    await untilKnown(signal);
    const pace = createReplayPace(() => performance.now());
    let pollMs = shortestPollMs;
    while (!signal.aborted) {
      const replay = await read(id);
      if (replay?.status !== 'running') {
        return 'done';
      }
      const movedOn = await step(replay, pace, signal);
      pollMs = movedOn ? shortestPollMs : Math.min(longestPollMs, pollMs * 1.5);
      await sleepUnlessAborted(signal, movedOn ? 0 : pollMs);
    }
    return 'abandoned';
  };
}

/** The events that are handed over next, and the cursor behind them; null where there are no more. */
async function nextPage(
  events: RunReplayDependencies['models']['events'],
  replay: Replay,
  size: number,
): Promise<{ readonly events: readonly ReplayCandidate[]; readonly next: Replay['cursor'] }> {
  const limit = replay.filter.only === 'missing' ? lookedAtForMissing : size;
  const { candidates, next } = await candidatePage(events, replay, { after: replay.cursor, limit });
  const selected = candidates.filter(
    (candidate) => isSelected(candidate, replay) && !isHandedOver(candidate, replay.id),
  );
  const page = selected.slice(0, size);
  const last = page.at(-1);
  const isCut = page.length < selected.length && last !== undefined;
  return { events: page, next: isCut ? { created: last.created, eventId: last.id } : next };
}
