import { Notice } from '../components/notice.js';
import { countText } from '../components/timeText.js';

interface LiveLineProps {
  /** The number of events since live mode started. */
  readonly count: number;
  /** The reason why no events arrive at the moment, or null if the stream works. */
  readonly trouble: string | null;
}

/** The state of live mode, or the reason for its failure. */
export function LiveLine({ count, trouble }: LiveLineProps) {
  return (
    <div role="status">
      {trouble === null ? (
        <p class="live-line">
          <span class="live-dot" aria-hidden="true" />
          Live updates are on.{' '}
          {count === 0 ? 'Waiting for the next event …' : `New events since then: ${countText(count)}.`}
        </p>
      ) : (
        <Notice kind="warn">{trouble}</Notice>
      )}
    </div>
  );
}
