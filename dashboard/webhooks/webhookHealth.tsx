import type { DeliveryStats } from '../api/types.js';
import { Tile, Tiles } from '../components/tiles.js';
import { counted, durationText } from '../components/timeText.js';
import { rateText, totalsOf } from './totals.js';

/** The results of a webhook's attempts in the last 24 hours. */
export function WebhookHealth({ stats }: { readonly stats: readonly DeliveryStats[] }) {
  const { events, succeeded, failed, latest } = totalsOf(stats);
  return (
    <section aria-labelledby="health-heading">
      <h2 id="health-heading">Last 24 hours</h2>
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
          value={latest?.p95Ms === undefined || latest.p95Ms === null ? '–' : durationText(latest.p95Ms)}
          note={latest === null ? 'No attempts' : 'of the attempts in the latest hour that has any'}
        />
      </Tiles>
    </section>
  );
}
