import { Notice } from '../components/notice.js';
import { countText } from '../components/timeText.js';

interface LiveLineProps {
  /** The number of listed events that are newer than the start of live mode. */
  readonly count: number;
  /** Whether the list lacks events that arrived in live mode. */
  readonly hasGap: boolean;
  /** The reason why no events arrive at the moment, or null if the stream works. */
  readonly trouble: string | null;
}

/** The state of live mode, or the reason for its failure. */
export function LiveLine({ count, hasGap, trouble }: LiveLineProps) {
  return (
    <div role="status">
      {trouble === null ? (
        <p class="live-line">
          <span class="live-dot" aria-hidden="true" />
          Live updates are on.{' '}
          {count === 0 ? 'Waiting for the next event …' : `New events in this list: ${countText(count)}.`}
        </p>
      ) : (
        <Notice kind="warn">{trouble}</Notice>
      )}
      {hasGap && (
        <Notice kind="warn">
          <p>
            <strong>Some new events are missing in this list.</strong> More events arrived than live mode can
            show. Stop following to page through all events.
          </p>
        </Notice>
      )}
    </div>
  );
}
