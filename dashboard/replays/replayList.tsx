import { useCallback } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Replay } from '../api/types.js';
import { useRefreshed } from '../api/useRefreshed.js';
import { LoadedContent } from '../components/loadedContent.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi } from '../session/session.js';
import { ReplayCard } from './replayCard.js';
import { replayRefreshMs } from './replayCounts.js';

/** A replay that the user has started on this page. */
export interface StartedReplay {
  readonly replay: Replay;
  /** The number of events that the user has confirmed, or null if the service could not count all events. */
  readonly confirmed: number | null;
}

/** The refresh interval of a list of ended replays, to which other users may add replays, in milliseconds. */
const quietMs = 15_000;
const dayMs = 24 * 60 * 60 * 1000;
const [recentLimit, fullLimit] = [3, 20];

interface ReplayListProps {
  readonly webhookId: string;
  /** The replays that the user has started since this page was opened, newest replay first. */
  readonly started: readonly StartedReplay[];
}

/** The replays of a webhook with their progress, newest replay first. */
export function ReplayList({ webhookId, started }: ReplayListProps) {
  return <Replays webhookId={webhookId} started={started} limit={fullLimit} />;
}

/** The replays of a webhook that are in progress or were started within a day. */
export function RecentReplays({ webhookId, started }: ReplayListProps) {
  return <Replays webhookId={webhookId} started={started} limit={recentLimit} isShown={isRecent} isPart />;
}

interface ReplaysProps extends ReplayListProps {
  readonly limit: number;
  readonly isShown?: (replay: Replay) => boolean;
  /** Whether another page has the full list. */
  readonly isPart?: boolean;
}

function Replays({ webhookId, started, limit, isShown = () => true, isPart = false }: ReplaysProps) {
  const api = useApi();
  const address = useAddress();
  const load = useCallback(
    async (signal: AbortSignal): Promise<readonly Replay[]> => {
      const params = { query: { limit, webhookId } };
      return (await answerOf(api.GET('/v1/replays', { params, signal }))).data;
    },
    [api, webhookId, limit],
  );
  const replays = useRefreshed(load, (listed) => refreshMs(withStarted(listed ?? [], started)));
  const confirmed = new Map(started.map(({ replay, confirmed: number }) => [replay.id, number]));
  return (
    <LoadedContent of={replays} waiting={null}>
      {(listed) => {
        const shown = withStarted(listed, started).filter(isShown);
        return (
          shown.length > 0 && (
            <section aria-labelledby="replays-heading">
              <div class="section-head">
                <h2 id="replays-heading">Replays</h2>
                {isPart && <a href={address(`/webhooks/${webhookId}/recover`)}>Show all replays</a>}
              </div>
              {shown.map((replay) => (
                <ReplayCard
                  key={replay.id}
                  replay={replay}
                  confirmed={confirmed.get(replay.id) ?? null}
                  onCanceled={replays.reload}
                />
              ))}
            </section>
          )
        );
      }}
    </LoadedContent>
  );
}

/** The listed replays, after the started replays that the list does not contain yet. */
function withStarted(listed: readonly Replay[], started: readonly StartedReplay[]): readonly Replay[] {
  const known = new Set(listed.map(({ id }) => id));
  return [...started.map(({ replay }) => replay).filter(({ id }) => !known.has(id)), ...listed];
}

function refreshMs(replays: readonly Replay[]): number {
  return Math.min(quietMs, ...replays.map((replay) => replayRefreshMs(replay) ?? quietMs));
}

function isRecent(replay: Replay): boolean {
  return replayRefreshMs(replay) !== null || Date.now() - Date.parse(replay.created) < dayMs;
}
