import type { Series } from '../result.js';
import { numberText } from '../text.js';
import { scaleTo, type Scale } from './scale.js';
import { drawing, element, type Markup } from './svg.js';

/** How one or two things of the same unit went over time. */
export interface LineChart {
  readonly title: string;
  readonly series: readonly Series[];
}

const width = 760;
const height = 260;
const left = 70;
const right = 20;
const top = 34;
const bottom = 40;
const looks = ['first', 'second'] as const;

interface Axes {
  readonly x: (seconds: number) => number;
  readonly y: (value: number) => number;
}

export function lineChart({ title, series }: LineChart): string {
  const points = series.flatMap((one) => one.points);
  const seconds = scaleTo(greatest(points.map(([second]) => second)), 8);
  const values = scaleTo(greatest(points.map(([, value]) => value)), 4);
  const axes: Axes = {
    x: (second) => left + seconds.at(second) * (width - left - right),
    y: (value) => height - bottom - values.at(value) * (height - top - bottom),
  };
  return drawing({ width, height, title }, [
    ...valueAxis(values, axes, series[0]?.unit ?? ''),
    ...timeAxis(seconds, axes),
    ...series.flatMap((one, index) => line(one, { axes, index })),
  ]);
}

function line(
  { name, points }: Series,
  { axes, index }: { readonly axes: Axes; readonly index: number },
): readonly Markup[] {
  const look = looks[index % looks.length] ?? 'first';
  const path = points.map(([second, value]) => `${round(axes.x(second))},${round(axes.y(value))}`).join(' ');
  const legendAt = left + index * 160;
  return [
    element('polyline', { class: `line ${look}`, points: path }),
    element('rect', { class: look, x: legendAt, y: 8, width: 12, height: 12, rx: 2 }),
    element('text', { x: legendAt + 18, y: 19 }, name),
  ];
}

function valueAxis(scale: Scale, { y }: Axes, unit: string): readonly Markup[] {
  return scale.ticks.flatMap((tick) => [
    element('line', { class: 'axis', x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
    element('text', { class: 'small end', x: left - 8, y: y(tick) + 4 }, `${numberText(tick)} ${unit}`),
  ]);
}

function timeAxis(scale: Scale, { x }: Axes): readonly Markup[] {
  return scale.ticks.map((tick) =>
    element('text', { class: 'small middle', x: x(tick), y: height - bottom + 18 }, `${numberText(tick)} s`),
  );
}

function greatest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
