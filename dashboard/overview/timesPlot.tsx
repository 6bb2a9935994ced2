import { useMemo } from 'preact/hooks';

import { durationText } from '../components/timeText.js';
import { Legend } from './legend.js';
import { Plot } from './plot.js';
import type { PlotLine } from './plotLine.js';
import type { Series } from './series.js';

export function TimesPlot({ series }: { readonly series: Series }) {
  const lines = useMemo(
    (): readonly PlotLine[] => [
      { label: 'p50', color: '--plot-p50', values: series.buckets.map((bucket) => bucket?.p50Ms ?? null) },
      { label: 'p95', color: '--plot-p95', values: series.buckets.map((bucket) => bucket?.p95Ms ?? null) },
      { label: 'p99', color: '--plot-p99', values: series.buckets.map((bucket) => bucket?.p99Ms ?? null) },
    ],
    [series],
  );
  return (
    <Plot
      title="Response times"
      summary="The plot shows the 50th, 95th and 99th percentile of the receivers’ response times over time. The table of figures below the plots has the same numbers."
      starts={series.starts}
      lines={lines}
      valueText={durationText}
      legend={
        <Legend
          items={[
            { label: 'p50', look: 'sign-p50' },
            { label: 'p95', look: 'sign-p95' },
            { label: 'p99', look: 'sign-p99' },
          ]}
        />
      }
    />
  );
}
