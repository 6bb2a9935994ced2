import { Ban, CircleCheck, CircleMinus, RotateCw } from 'lucide';

import { answerOf } from '../api/answer.js';
import type { Replay } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { Badge } from '../components/badge.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Identifier } from '../components/identifier.js';
import { Time } from '../components/time.js';
import { counted, countText } from '../components/timeText.js';
import { useApi, useMay } from '../session/session.js';
import { endedCount, joinedText, openCount, sentCount } from './replayCounts.js';

const looks = {
  open: { tone: 'info', icon: RotateCw, text: 'In progress' },
  running: { tone: 'info', icon: RotateCw, text: 'Running' },
  completed: { tone: 'good', icon: CircleCheck, text: 'Sent' },
  canceled: { tone: 'plain', icon: CircleMinus, text: 'Canceled' },
} as const;

/**
 * The badge of a replay. In a completed replay each delivery has an attempt or an end, and some may still be retried.
 * Failed deliveries of the replay need attention.
 */
function lookOf(replay: Replay) {
  if (replay.status !== 'completed') {
    return looks[replay.status];
  }
  if (openCount(replay) > 0) {
    return looks.open;
  }
  return replay.failed > 0 ? { ...looks.completed, tone: 'warn' as const } : looks.completed;
}

const onlyTexts = {
  failed: 'Failed deliveries',
  missing: 'Never sent',
  all: 'All events',
  open: 'Open deliveries',
  undelivered: 'Everything undelivered',
} as const;

interface ReplayCardProps {
  readonly replay: Replay;
  /** The number of events that the user has confirmed on this page, or null if it is unknown. */
  readonly confirmed: number | null;
  readonly onCanceled: () => void;
}

/** The progress of a replay. Users who may replay events can cancel a running replay. */
export function ReplayCard({ replay, confirmed, onCanceled }: ReplayCardProps) {
  const api = useApi();
  const may = useMay('developer');
  const { id, status } = replay;
  const cancel = useAction(async () => {
    await answerOf(api.POST('/v1/replays/{id}/cancel', { params: { path: { id } } }));
    onCanceled();
  });
  const { tone, icon, text } = lookOf(replay);
  return (
    <article class="card card-text replay">
      <header class="delivery-head">
        <Badge tone={tone} icon={icon}>
          {text}
        </Badge>
        <Identifier id={id} what="replay id" />
        {status === 'running' && may && (
          <Button icon={Ban} isSmall isBusy={cancel.isRunning} onClick={cancel.run}>
            Cancel replay
          </Button>
        )}
      </header>
      <ReplayProgress replay={replay} confirmed={confirmed} />
      <ReplayFacts replay={replay} />
      <FailureNotice failure={cancel.failure} />
    </article>
  );
}

function ReplayProgress({ replay, confirmed }: Pick<ReplayCardProps, 'replay' | 'confirmed'>) {
  const { matched, done, failed } = replay;
  return (
    <label class="replay-progress">
      <span>
        {sentText(replay)}
        {endedText(endedCount(replay, confirmed))}
        {joinedText(replay)}
      </span>
      <progress
        max={Math.max(sentCount(replay), 1)}
        {...(matched === null ? {} : { value: done + failed })}
      />
    </label>
  );
}

function sentText(replay: Replay): string {
  const { status, matched, omitted, done, failed } = replay;
  if (matched === null) {
    return status === 'running' ? 'Counting …' : 'Nothing was sent.';
  }
  const results = `${countText(done)} delivered, ${countText(failed)} failed`;
  const all = counted(sentCount(replay), 'event');
  if (status === 'canceled') {
    return `Sent before it was canceled: ${results}, of ${all}.`;
  }
  const open =
    omitted === null || openCount(replay) === 0 ? '' : `, ${countText(openCount(replay))} still open`;
  return `Sent: ${results}${open}, of ${omitted === null ? 'at most ' : ''}${all}.`;
}

function endedText(ended: number): string {
  if (ended === 0) {
    return '';
  }
  return ` ${counted(ended, 'event')} had ended meanwhile and ${ended === 1 ? 'was' : 'were'} not sent.`;
}

function ReplayFacts({ replay: { filter, created } }: { readonly replay: Replay }) {
  return (
    <p class="facts quiet small">
      <span>{onlyTexts[filter.only]}</span>
      {filter.errorCodes !== null && <span>{filter.errorCodes.join(', ')}</span>}
      {filter.statusCodes !== null && <span>status {filter.statusCodes.join(', ')}</span>}
      {filter.since !== null && Date.parse(filter.since) > 0 && (
        <span>
          from <Time at={filter.since} />
        </span>
      )}
      {filter.until !== null && (
        <span>
          to <Time at={filter.until} />
        </span>
      )}
      {filter.eventIds !== null && <span>{counted(filter.eventIds.length, 'chosen event')}</span>}
      <span>
        started <Time at={created} form="relative" />
      </span>
    </p>
  );
}
