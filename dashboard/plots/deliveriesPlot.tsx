import { useMemo } from 'preact/hooks';

import { countText } from '../components/timeText.js';
import { Legend } from './legend.js';
import { Plot } from './plot.js';
import type { PlotLine } from './plotLine.js';
import type { Series } from './series.js';

/** A plot of attempts and events over time. Failed attempts are stacked on successful attempts. */
export function DeliveriesPlot({ series }: { readonly series: Series }) {
  const lines = useMemo((): readonly PlotLine[] => {
    const counts = series.buckets.map((bucket) => bucket ?? { events: 0, succeeded: 0, failed: 0 });
    return [
      {
        label: 'Attempts',
        color: '--plot-bad',
        isBar: true,
        values: counts.map(({ succeeded, failed }) => succeeded + failed),
      },
      {
        label: 'Succeeded',
        color: '--plot-good',
        isBar: true,
        values: counts.map(({ succeeded }) => succeeded),
      },
      { label: 'Events', color: '--plot-line', values: counts.map(({ events }) => events) },
    ];
  }, [series]);
  return (
    <Plot
      title="Events and attempts"
      summary="The plot shows posted events, succeeded attempts and failed attempts over time. The table of figures below the plots has the same numbers."
      starts={series.starts}
      lines={lines}
      valueText={countText}
      legend={
        <Legend
          items={[
            { label: 'Succeeded', look: 'sign-good' },
            { label: 'Failed', look: 'sign-bad' },
            { label: 'Events', look: 'sign-line' },
          ]}
        />
      }
    />
  );
}
