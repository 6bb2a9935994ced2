import uPlot from 'uplot';

import type { TimeTexts } from '../components/timeZone.js';
import { themeColor } from './plotColors.js';
import { isolatedIndexes, type PlotLine } from './plotLine.js';
import { tooltip } from './plotTooltip.js';

/** The height of a plot in pixels, equal to the height in the style sheet. */
export const plotHeight = 220;

/** The values and texts of a plot. */
export interface PlotContent {
  readonly width: number;
  /** The start of each bucket in seconds since 1970, one for each value of a line. */
  readonly starts: readonly number[];
  readonly lines: readonly PlotLine[];
  readonly valueText: (value: number) => string;
  readonly times: TimeTexts;
}

/** Half of the width of the longest time label, in pixels. A label is centered below its tick. */
const labelOverhang = 24;

/** The steps between value labels: whole numbers, because the texts round, and a label of 3 for 2.5 would be wrong. */
const steps = Array.from({ length: 12 }, (_, zeros) => [1, 2, 5].map((digit) => digit * 10 ** zeros)).flat();

/** The appearance of a plot: bars and lines from zero, over times in the time zone of the user's choice. */
export function optionsOf({ width, starts, lines, valueText, times }: PlotContent): uPlot.Options {
  const halfBucket = ((starts[1] ?? 0) - (starts[0] ?? 0)) / 2;
  const axis = {
    stroke: themeColor('--plot-text'),
    font: '12px "Inter Variable", sans-serif',
    grid: { stroke: themeColor('--plot-grid'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: plotHeight,
    padding: [8, labelOverhang, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false } },
    scales: {
      // A bar is centered on its bucket, so the first and the last bar need room for their halves.
      x: { range: (_plot, first, last) => [first - halfBucket, last + halfBucket] },
      y: { range: (_plot, _low, high) => [0, Math.max(high * 1.1, 1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        values: (plot, seconds) => timeLabels(plot, seconds, times),
        space: 70,
        size: 28,
      },
      {
        ...axis,
        size: axisWidth,
        incrs: steps,
        values: (_plot, values) => values.map(valueText),
      },
    ],
    series: [{}, ...lines.map(seriesOptions)],
    plugins: [tooltip(lines, valueText, times)],
  };
}

const shortestLabel = 5;
const characterWidth = 7;
const labelMargin = 14;

/** @param labels null before the plot has any label, which the types of uPlot do not express */
function axisWidth(_plot: uPlot, labels: readonly string[] | null): number {
  const lengths = (labels ?? []).map(({ length }) => length);
  return Math.max(...lengths, shortestLabel) * characterWidth + labelMargin;
}

function seriesOptions({ label, color, isBar }: PlotLine): uPlot.Series {
  const stroke = themeColor(color);
  return isBar === true
    ? {
        label,
        stroke,
        fill: stroke,
        width: 0,
        points: { show: false },
        paths: uPlot.paths.bars?.({ size: [0.7, 40], align: 0, radius: 0.15 }) ?? (() => null),
      }
    : { label, stroke, width: 2, points: { size: 5, fill: stroke, filter: isolatedPoints } };
}

/** If the points of a line are too dense to be shown, the indexes of the points that no line connects. */
function isolatedPoints(plot: uPlot, line: number, areShown: boolean): number[] | null {
  return areShown ? null : isolatedIndexes(plot.data[line] ?? []);
}

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;
function timeLabels(plot: uPlot, seconds: number[], times: TimeTexts): string[] {
  const { min = 0, max = 0 } = plot.scales['x'] ?? {};
  const format = max - min > 2 * daySeconds ? times.axisDay : times.axisTime;
  return seconds.map((second) => format(new Date(second * 1000)));
}
