import { Notice } from '../components/notice.js';
import { countText } from '../components/timeText.js';

interface LiveLineProps {
  /** How many have come since it began. */
  readonly count: number;
  /** Why none come at the moment. */
  readonly trouble: string | null;
}

/** That events are followed, or why they cannot be. */
export function LiveLine({ count, trouble }: LiveLineProps) {
  return (
    <div role="status">
      {trouble === null ? (
        <p class="live-line">
          <span class="live-dot" aria-hidden="true" />
          Following. {count === 0 ? 'Waiting for the next event …' : `${countText(count)} since you started.`}
        </p>
      ) : (
        <Notice kind="warn">{trouble}</Notice>
      )}
    </div>
  );
}
