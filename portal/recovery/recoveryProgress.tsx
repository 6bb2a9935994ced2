import { useCallback } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import type { Replay } from '../../dashboard/api/types.js';
import { useRefreshed } from '../../dashboard/api/useRefreshed.js';
import { FailureNotice } from '../../dashboard/components/failureNotice.js';
import { countText, counted } from '../../dashboard/components/timeText.js';
import { joinedText, replayRefreshMs, sentCount } from '../../dashboard/replays/replayCounts.js';
import { useApi } from '../session/portalContext.js';

/** How far a replay is, until all its deliveries have ended. */
export function RecoveryProgress({ replay: started }: { readonly replay: Replay }) {
  const api = useApi();
  const { id } = started;
  const load = useCallback(
    (signal: AbortSignal) => answerOf(api.GET('/v1/replays/{id}', { params: { path: { id } }, signal })),
    [api, id],
  );
  const loaded = useRefreshed(load, (value) => replayRefreshMs(value ?? started));
  const replay = loaded.value ?? started;
  const { matched, omitted, done, failed } = replay;
  const total = sentCount(replay);
  return (
    <>
      <label class="replay-progress">
        <span role="status">
          {matched === null
            ? 'Counting …'
            : `Sent: ${countText(done)} delivered, ${countText(failed)} failed, of ${counted(total, 'event')}.`}
          {(omitted ?? 0) > 0 && ` ${counted(omitted ?? 0, 'event')} had ended meanwhile.`}
          {joinedText(replay)}
        </span>
        <progress max={Math.max(total, 1)} {...(matched === null ? {} : { value: done + failed })} />
      </label>
      <FailureNotice failure={loaded.failure} />
    </>
  );
}
