import type { DeliveryStats } from '../api/types.js';
import { Tile, Tiles } from '../components/tiles.js';
import { counted } from '../components/timeText.js';
import { useTimeTexts } from '../components/zone.js';
import { Plots } from '../plots/plots.js';
import { ranges, type RangeName } from '../navigation/ranges.js';
import { responseTimeText, unansweredText } from '../plots/responseTimes.js';
import { rateText, totalsOf } from '../webhooks/totals.js';

export interface RangeFigures {
  readonly stats: readonly DeliveryStats[];
  readonly from: Date;
  readonly to: Date;
  readonly rangeName: RangeName;
  /** Whether the time range contains no event and no attempt. */
  readonly isUnused: boolean;
}

export function Figures({ figures }: { readonly figures: RangeFigures }) {
  const { stats, from, to, rangeName } = figures;
  const { bucketMs, bucket } = ranges[rangeName];
  const times = useTimeTexts();
  const { events, succeeded, failed, latest } = totalsOf(stats);
  return (
    <section aria-labelledby="figures-heading">
      <h2 id="figures-heading">Figures</h2>
      <Tiles>
        <Tile
          name="Events"
          value={events}
          note={stats[0] === undefined ? '' : `since ${times.minute(new Date(stats[0].start))}`}
        />
        <Tile
          name="Success rate"
          value={rateText(succeeded, failed)}
          note={`of ${counted(succeeded + failed, 'attempt')}`}
        />
        <Tile
          name="Failed attempts"
          value={failed}
          tone={failed > 0 ? 'bad' : 'plain'}
          note={failed > 0 ? topFailure(stats) : 'none'}
        />
        <Tile
          name="Response time, p95"
          value={responseTimeText(latest, 'p95Ms')}
          note={
            latest === null
              ? 'no attempts'
              : `${unansweredText(latest) ?? `p50 ${responseTimeText(latest, 'p50Ms')}, p99 ${responseTimeText(latest, 'p99Ms')}`}, latest ${bucket}`
          }
        />
      </Tiles>
      <Plots stats={stats} from={from} to={to} bucketMs={bucketMs} />
    </section>
  );
}

/** The most frequent result of failed attempts. */
function topFailure(stats: readonly DeliveryStats[]): string {
  const counts = new Map<string, number>();
  for (const { byStatusCode } of stats) {
    for (const [code, count] of Object.entries(byStatusCode)) {
      if (!code.startsWith('2')) {
        counts.set(code, (counts.get(code) ?? 0) + count);
      }
    }
  }
  const [top] = [...counts].sort(([, one], [, other]) => other - one);
  if (top === undefined) {
    return '';
  }
  return `most often ${top[0] === 'none' ? 'no response' : top[0]}`;
}
