import { useMemo } from 'preact/hooks';

import { durationText } from '../components/timeText.js';
import { Legend } from './legend.js';
import { Plot } from './plot.js';
import type { PlotLine } from './plotLine.js';
import { responseTime, type Percentile } from './responseTimes.js';
import type { Series } from './series.js';

export function TimesPlot({ series }: { readonly series: Series }) {
  const lines = useMemo(
    (): readonly PlotLine[] => [
      { label: 'p50', color: '--plot-p50', values: valuesOf(series, 'p50Ms') },
      { label: 'p95', color: '--plot-p95', values: valuesOf(series, 'p95Ms') },
      { label: 'p99', color: '--plot-p99', values: valuesOf(series, 'p99Ms') },
    ],
    [series],
  );
  return (
    <Plot
      title="Response times"
      summary="The plot shows the 50th, 95th and 99th percentile of the receivers’ response times over time. A line has a gap if the receivers did not respond. The table of figures below the plots has the same numbers."
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

/** The values of a line. An attempt without a response has no response time, so the line has a gap. */
function valuesOf({ buckets }: Series, name: Percentile): readonly (number | null)[] {
  return buckets.map((bucket) => {
    const time = bucket === null ? null : responseTime(bucket, name);
    return time === 'none' ? null : time;
  });
}
