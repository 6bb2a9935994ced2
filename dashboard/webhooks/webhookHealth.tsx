import type { DeliveryStats } from '../api/types.js';
import { Tile, Tiles } from '../components/tiles.js';
import { counted } from '../components/timeText.js';
import { ranges, type RangeName } from '../navigation/ranges.js';
import { Plots } from '../plots/plots.js';
import { responseTimeText, unansweredText } from '../plots/responseTimes.js';
import { rateText, totalsOf } from './totals.js';

/** The statistics of one webhook in a time range. */
export interface WebhookFigures {
  readonly stats: readonly DeliveryStats[];
  readonly from: Date;
  readonly to: Date;
  readonly rangeName: RangeName;
}

/** The results of a webhook's attempts in the time range that the address selects. */
export function WebhookHealth({
  figures: { stats, from, to, rangeName },
}: {
  readonly figures: WebhookFigures;
}) {
  const { bucketMs, bucket } = ranges[rangeName];
  const { events, succeeded, failed, latest } = totalsOf(stats);
  return (
    <section aria-labelledby="health-heading">
      <h2 id="health-heading">Last {ranges[rangeName].text}</h2>
      <Tiles>
        <Tile name="Events" value={events} />
        <Tile
          name="Success rate"
          value={rateText(succeeded, failed)}
          note={`${counted(succeeded, 'succeeded', 'succeeded')}, ${counted(failed, 'failed', 'failed')}`}
          tone={failed > succeeded ? 'bad' : 'plain'}
        />
        <Tile
          name="Response time, p95"
          value={responseTimeText(latest, 'p95Ms')}
          note={
            latest === null
              ? 'No attempts'
              : `${unansweredText(latest) ?? 'of the attempts'} in the latest ${bucket}`
          }
        />
      </Tiles>
      <Plots stats={stats} from={from} to={to} bucketMs={bucketMs} />
    </section>
  );
}
