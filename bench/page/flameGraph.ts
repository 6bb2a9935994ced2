import { axisX, dot, rect, text } from '@observablehq/plot';

import type { FlameFrame } from '../results/result.js';
import { renderSvg } from './renderSvg.js';

/** The CPU time of an event: each rectangle is a function, as wide as its time, and above it are the functions that it called. */
export interface FlameGraph {
  readonly description: string;
  readonly frames: readonly FlameFrame[];
}

/** One for each stage, light enough for dark text. */
const colors = [
  ...['#9ecae9', '#ffbf79', '#b8e3a0', '#ff9d98', '#d4a6c8', '#f2cf5b', '#83bcb6'],
  ...['#fcbfd2', '#d8b5a5', '#88d27a', '#bab0ac', '#c7d0d9', '#e3c6f5', '#dadada'],
];
const width = 1000;
const sides = 12;
const rowHeight = 17;
const legendRowHeight = 18;
const legendColumns = 7;
const characterWidth = 6.2;
const textPadding = 6;
const margin = 44;

export function flameGraph({ description, frames }: FlameGraph): string {
  const rows = Math.max(0, ...frames.map(({ depth }) => depth)) + 1;
  const total = Math.max(0, ...frames.map(({ from, ms }) => from + ms));
  const stages = [...new Set(frames.map(({ stage }) => stage))];
  const marginTop = Math.ceil(stages.length / legendColumns) * legendRowHeight + 12;
  const place = { x1: 'from', x2: endOf, y1: 'depth', y2: ({ depth }: FlameFrame) => depth + 1 } as const;
  return renderSvg(description, {
    width,
    marginTop,
    marginBottom: margin,
    marginLeft: sides,
    marginRight: sides,
    height: marginTop + rows * rowHeight + margin,
    x: { domain: [0, total || 1] },
    y: { domain: [0, rows], axis: null },
    marks: [
      axisX({
        label: 'CPU time of an event (ms)',
        labelAnchor: 'center',
        labelArrow: 'none',
        className: 'muted',
      }),
      ...stages.flatMap((stage, index) => [
        rect(
          frames.filter((frame) => frame.stage === stage),
          { ...place, fill: colorOf(index), inset: 0.4, title: titleOf },
        ),
        ...legendEntry(stage, index, marginTop),
      ]),
      text(frames, {
        x: ({ from, ms }: FlameFrame) => from + ms / 2,
        y: ({ depth }: FlameFrame) => depth + 0.5,
        text: ({ name, ms }: FlameFrame) => fitted(name, (ms / total) * (width - 2 * sides)),
        fill: '#1f2328',
        fontSize: 10,
      }),
    ],
  });
}

function legendEntry(stage: string, index: number, marginTop: number) {
  const column = index % legendColumns;
  const row = Math.floor(index / legendColumns);
  const place = {
    frameAnchor: 'top-left',
    dy: row * legendRowHeight - marginTop + legendRowHeight / 2,
  } as const;
  const left = column * ((width - 2 * sides) / legendColumns);
  return [
    dot([stage], { ...place, symbol: 'square', r: 5, stroke: 'none', fill: colorOf(index), dx: left + 6 }),
    text([stage], { ...place, lineAnchor: 'middle', dx: left + 16 }),
  ];
}

function endOf({ from, ms }: FlameFrame): number {
  return from + ms;
}

function titleOf({ name, ms }: FlameFrame): string {
  return `${name}: ${(ms * 1000).toFixed(1)} µs`;
}

/** The name if it fits into so many pixels, or the part of it that does. */
function fitted(name: string, pixels: number): string {
  const most = Math.floor((pixels - textPadding) / characterWidth);
  if (name.length <= most) {
    return name;
  }
  return most < 3 ? '' : `${name.slice(0, most - 1)}…`;
}

function colorOf(index: number): string {
  return colors[index % colors.length] ?? '#dadada';
}
