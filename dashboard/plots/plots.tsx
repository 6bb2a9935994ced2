import { useMemo } from 'preact/hooks';

import type { DeliveryStats } from '../api/types.js';
import { DeliveriesPlot } from './deliveriesPlot.js';
import { FiguresTable } from './figuresTable.js';
import { seriesOf } from './series.js';
import { TimesPlot } from './timesPlot.js';

/** The smallest number of buckets that shows a trend. */
const fewestPlotted = 3;

interface PlotsProps {
  readonly stats: readonly DeliveryStats[];
  readonly from: Date;
  readonly to: Date;
  readonly bucketMs: number;
}

/** The plots of the statistics of a time range, and a table with the same figures. */
export function Plots({ stats, from, to, bucketMs }: PlotsProps) {
  const series = useMemo(() => seriesOf(stats, from, to, bucketMs), [stats, from, to, bucketMs]);
  return (
    <>
      {series.starts.length >= fewestPlotted && (
        <div class="plots">
          <DeliveriesPlot series={series} />
          <TimesPlot series={series} />
        </div>
      )}
      <FiguresTable stats={stats} />
    </>
  );
}
