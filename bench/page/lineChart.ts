import { axisX, axisY, dot, gridY, lineY, ruleY, text } from '@observablehq/plot';

import type { Series } from '../results/result.js';
import { axisTitles } from './axisTitles.js';
import { renderSvg } from './renderSvg.js';

/** One or two series of the same unit over time. */
export interface LineChart {
  readonly description: string;
  readonly series: readonly Series[];
}

const colors = ['first', 'second'] as const;
const width = 800;
const height = 280;
const marginTop = 36;
const legendWidth = 140;

export function lineChart({ description, series }: LineChart): string {
  const unit = series[0]?.unit ?? '/s';
  const values = series.flatMap(({ points }) => points.map(([, value]) => value));
  const axis = { labelArrow: 'none', labelAnchor: 'center', className: 'muted' } as const;
  return renderSvg(description, {
    width,
    height,
    marginTop,
    marginLeft: 64,
    marginRight: 20,
    marginBottom: 44,
    y: { domain: [0, Math.max(0, ...values) || 1], nice: 5, ticks: 5 },
    marks: [
      gridY({ className: 'grid', strokeOpacity: 1 }),
      axisX({ ...axis, label: axisTitles.s }),
      axisY({ ...axis, label: axisTitles[unit], tickSize: 0 }),
      ruleY([0]),
      ...series.flatMap((one, index) => [line(one, index), ...legendEntry(one, index)]),
    ],
  });
}

function line({ points }: Series, index: number) {
  return lineY(points, { x: '0', y: '1', strokeWidth: 1.75, className: `line ${colorOf(index)}` });
}

function legendEntry({ name }: Series, index: number) {
  const left = index * legendWidth;
  const place = { frameAnchor: 'top-left', dy: -24 } as const;
  return [
    dot([name], {
      ...place,
      symbol: 'square',
      r: 6,
      stroke: 'none',
      dx: left + 6,
      className: `area ${colorOf(index)}`,
    }),
    text([name], { ...place, lineAnchor: 'middle', dx: left + 18 }),
  ];
}

function colorOf(index: number): string {
  return colors[index % colors.length] ?? 'first';
}
