import { axisX, axisY, barX, gridX, ruleX, ruleY, text } from '@observablehq/plot';

import type { Unit } from '../results/result.js';
import type { Estimate } from '../results/estimate.js';
import { estimateText, numberText } from '../results/text.js';
import { axisTitles } from './axisTitles.js';
import { renderSvg } from './renderSvg.js';

/** The results of each pipeline for some figures of one unit. */
export interface BarChart {
  readonly description: string;
  readonly unit: Unit;
  readonly groups: readonly BarGroup[];
}

export interface BarGroup {
  readonly name: string;
  readonly service: Estimate | null;
  readonly reference: Estimate | null;
}

interface Bar extends Estimate {
  /** The ends of the interval; both are the median if there is none. */
  readonly low: number;
  readonly high: number;
  readonly figure: string;
  readonly pipeline: string;
}

const pipelines = [
  { key: 'service', name: 'service', color: 'first' },
  { key: 'reference', name: 'bare pipeline', color: 'second' },
] as const;

const width = 800;
const marginTop = 4;
const marginBottom = 44;
const nameHeight = 28;
const barHeight = 18;

/** Horizontal bars as long as the medians. A thin line shows the interval, if there is one. */
export function barChart({ description, unit, groups }: BarChart): string {
  const bars = groups.flatMap(barsOf);
  const shown = pipelines.filter(({ name }) => bars.some(({ pipeline }) => pipeline === name));
  const place = { y: 'pipeline', fy: 'figure' } as const;
  const groupHeight = nameHeight + shown.length * barHeight;
  return renderSvg(description, {
    width,
    marginTop,
    marginBottom,
    marginLeft: 100,
    marginRight: 150,
    height: marginTop + groups.length * groupHeight + marginBottom,
    x: { domain: [0, Math.max(0, ...bars.map(({ high }) => high)) || 1], nice: true },
    y: { domain: shown.map(({ name }) => name), padding: 0.1, insetTop: nameHeight, axis: null },
    fy: { domain: groups.map(({ name }) => name), padding: 0, axis: null },
    marks: [
      gridX({ className: 'grid', strokeOpacity: 1, insetTop: nameHeight }),
      axisX({ label: axisTitles[unit], labelAnchor: 'center', labelArrow: 'none', className: 'muted' }),
      // With one pipeline there is nothing to tell apart.
      ...(shown.length > 1 ? [axisY({ label: null, tickSize: 0 })] : []),
      text(groups, { fy: 'name', text: 'name', frameAnchor: 'top-left', dy: 12, fontWeight: 600 }),
      ...pipelines.map(({ name, color }) =>
        barX(
          bars.filter(({ pipeline }) => pipeline === name),
          { ...place, x: 'median', className: `area ${color}`, rx: 2 },
        ),
      ),
      ruleY(
        bars.filter(({ interval }) => interval !== null),
        { ...place, x1: 'low', x2: 'high', strokeWidth: 1.5, className: 'spread' },
      ),
      ruleX([0], { insetTop: nameHeight }),
      text(bars, { ...place, x: 'high', text: estimateText, textAnchor: 'start', dx: 6, className: 'muted' }),
    ],
  });
}

/** The medians of a group, in words. */
export function barGroupText({ name, service, reference }: BarGroup): string {
  const medians = pipelines.flatMap(({ key, name: pipeline }) => {
    const estimate = { service, reference }[key];
    return estimate === null ? [] : [`${pipeline} ${numberText(estimate.median)}`];
  });
  return `${name}: ${medians.join(', ')}`;
}

function barsOf(group: BarGroup): readonly Bar[] {
  return pipelines.flatMap(({ key, name }) => {
    const estimate = group[key];
    if (estimate === null) {
      return [];
    }
    const { low, high } = estimate.interval ?? { low: estimate.median, high: estimate.median };
    return [{ ...estimate, low, high, figure: group.name, pipeline: name }];
  });
}
