import { Ban, CircleCheck, CircleMinus, RotateCw } from 'lucide';
import { useCallback } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Replay } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { useLoaded } from '../api/useLoaded.js';
import { useRepeated } from '../api/useRepeated.js';
import { Badge } from '../components/badge.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Identifier } from '../components/identifier.js';
import { Time } from '../components/time.js';
import { counted, countText } from '../components/timeText.js';
import { useApi } from '../session/session.js';

const looks = {
  running: { tone: 'info', icon: RotateCw, text: 'Running' },
  completed: { tone: 'good', icon: CircleCheck, text: 'Handed over' },
  canceled: { tone: 'plain', icon: CircleMinus, text: 'Canceled' },
} as const;

const onlyTexts = {
  failed: 'Failed deliveries',
  missing: 'Events without a delivery',
  all: 'All events',
} as const;

const refreshMs = 2000;

interface ReplayCardProps {
  readonly replay: Replay;
  readonly mayCancel: boolean;
}

export function ReplayCard({ replay: given, mayCancel }: ReplayCardProps) {
  const api = useApi();
  const { id } = given;
  const load = useCallback(
    (signal: AbortSignal): Promise<Replay> =>
      answerOf(api.GET('/v1/replays/{id}', { params: { path: { id } }, signal })),
    [api, id],
  );
  const loaded = useLoaded(load);
  const replay = loaded.value ?? given;
  useRepeated(loaded.reload, isOpen(replay) ? refreshMs : null);
  const cancel = useAction(async () => {
    await answerOf(api.POST('/v1/replays/{id}/cancel', { params: { path: { id } } }));
    loaded.reload();
  });
  const { tone, icon, text } = looks[replay.status];
  return (
    <article class="card card-text replay">
      <header class="delivery-head">
        <Badge tone={tone} icon={icon}>
          {text}
        </Badge>
        <Identifier id={id} what="replay id" />
        {replay.status === 'running' && mayCancel && (
          <Button icon={Ban} isSmall isBusy={cancel.isRunning} onClick={cancel.run}>
            Cancel replay
          </Button>
        )}
      </header>
      <ReplayProgress replay={replay} />
      <ReplayFacts replay={replay} />
      <FailureNotice failure={cancel.failure ?? loaded.failure} />
    </article>
  );
}

/**
 * Whether the counts of a replay may still change. A completed replay has requested all cycles, and some of these
 * cycles may still be in progress.
 */
function isOpen({ status, done, failed, matched }: Replay): boolean {
  return status === 'running' || (status === 'completed' && done + failed < (matched ?? 0));
}

function ReplayProgress({ replay: { matched, done, failed } }: { readonly replay: Replay }) {
  return (
    <label class="replay-progress">
      <span>
        {matched === null ? 'Counting …' : `${countText(done)} of ${counted(matched, 'event')} done`}
        {failed > 0 && `, ${countText(failed)} failed`}
      </span>
      <progress max={Math.max(matched ?? 1, 1)} {...(matched === null ? {} : { value: done + failed })} />
    </label>
  );
}

function ReplayFacts({ replay: { filter, created } }: { readonly replay: Replay }) {
  return (
    <p class="facts quiet small">
      <span>{onlyTexts[filter.only]}</span>
      <span>
        from <Time at={filter.since} />
      </span>
      <span>
        to <Time at={filter.until} />
      </span>
      <span>
        started <Time at={created} form="relative" />
      </span>
    </p>
  );
}
