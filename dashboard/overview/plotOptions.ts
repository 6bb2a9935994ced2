import uPlot from 'uplot';

import { themeColor } from './plotColors.js';
import type { PlotLine } from './plotLine.js';
import { tooltip } from './plotTooltip.js';

/** In pixels, as the style sheet has it too. */
export const plotHeight = 220;

/** How a plot looks: its bars and lines from zero up, over times of the reader's clock. */
export function optionsOf(
  width: number,
  lines: readonly PlotLine[],
  valueText: (value: number) => string,
): uPlot.Options {
  const axis = {
    stroke: themeColor('--plot-text'),
    font: '12px "Inter Variable", sans-serif',
    grid: { stroke: themeColor('--plot-grid'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: plotHeight,
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false } },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(high * 1.1, 1)] } },
    axes: [
      { ...axis, grid: { show: false }, values: timeLabels, space: 70, size: 28 },
      {
        ...axis,
        size: 54,
        values: (_plot, values) =>
          values.map((value) => (Number.isInteger(value) || value > 1 ? valueText(value) : '')),
      },
    ],
    series: [{}, ...lines.map(seriesOptions)],
    plugins: [tooltip(lines, valueText)],
  };
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
        paths: uPlot.paths.bars?.({ size: [0.7, 40], align: 1, radius: 0.15 }) ?? (() => null),
      }
    : { label, stroke, width: 2, points: { size: 5, fill: stroke } };
}

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;
const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
function timeLabels(plot: uPlot, seconds: number[]): string[] {
  const { min = 0, max = 0 } = plot.scales['x'] ?? {};
  const format = max - min > 2 * daySeconds ? day : time;
  return seconds.map((second) => format.format(second * 1000));
}
