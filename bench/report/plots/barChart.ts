import type { Unit } from '../result.js';
import type { Spread } from '../spread.js';
import { numberText, spreadText } from '../text.js';
import { scaleTo, type Scale } from './scale.js';
import { drawing, element, type Markup } from './svg.js';

/** Bars for what each pipeline has shown of some figures of one unit. */
export interface BarChart {
  readonly title: string;
  readonly unit: Unit;
  readonly groups: readonly BarGroup[];
}

export interface BarGroup {
  readonly name: string;
  readonly service: Spread | null;
  readonly bare: Spread | null;
}

const width = 800;
const left = 340;
const plotWidth = 300;
const barHeight = 16;
const groupGap = 14;
const top = 34;
const axisHeight = 30;

/** Lying bars, one below the other: the median, and a thin line from the least to the most where there were several runs. */
export function barChart({ title, unit, groups }: BarChart): string {
  const spreads = groups.flatMap(({ service, bare }) => [service, bare]);
  const scale = scaleTo(Math.max(0, ...spreads.map((spread) => spread?.most ?? 0)));
  const drawn: Markup[] = [];
  let y = top;
  for (const group of groups) {
    const bars = barsOf(group);
    drawn.push(
      element('text', { x: left - 10, y: y + (bars.length * barHeight) / 2 + 4, class: 'end' }, group.name),
    );
    for (const { spread, look } of bars) {
      drawn.push(...barAt(y, spread, { scale, look }));
      y += barHeight;
    }
    y += groupGap;
  }
  const height = y + axisHeight;
  return drawing({ width, height, title }, [
    ...legend(groups.some(({ bare }) => bare !== null)),
    ...axis(scale, { y, unit }),
    ...drawn,
  ]);
}

interface Bar {
  readonly spread: Spread;
  readonly look: 'first' | 'second';
}

function barsOf({ service, bare }: BarGroup): readonly Bar[] {
  return [
    ...(service === null ? [] : [{ spread: service, look: 'first' } as const]),
    ...(bare === null ? [] : [{ spread: bare, look: 'second' } as const]),
  ];
}

function barAt(
  y: number,
  spread: Spread,
  { scale, look }: { readonly scale: Scale; readonly look: Bar['look'] },
): readonly Markup[] {
  const x = (value: number) => left + scale.at(value) * plotWidth;
  const middle = y + barHeight / 2 - 1;
  const whisker =
    spread.runs === 1
      ? []
      : [
          element('line', {
            class: 'spread',
            x1: x(spread.least),
            x2: x(spread.most),
            y1: middle,
            y2: middle,
          }),
        ];
  return [
    element('rect', {
      class: look,
      x: left,
      y,
      width: x(spread.median) - left,
      height: barHeight - 2,
      rx: 2,
    }),
    ...whisker,
    element('text', { class: 'small', x: x(spread.most) + 6, y: y + barHeight - 4 }, spreadText(spread)),
  ];
}

/** Needed only where there are two kinds of bars. */
function legend(isNeeded: boolean): readonly Markup[] {
  return isNeeded
    ? [
        element('rect', { class: 'first', x: left, y: 8, width: 12, height: 12, rx: 2 }),
        element('text', { x: left + 18, y: 19 }, 'service'),
        element('rect', { class: 'second', x: left + 90, y: 8, width: 12, height: 12, rx: 2 }),
        element('text', { x: left + 108, y: 19 }, 'bare pipeline'),
      ]
    : [];
}

function axis(scale: Scale, { y, unit }: { readonly y: number; readonly unit: Unit }): readonly Markup[] {
  return scale.ticks.flatMap((tick) => {
    const x = left + scale.at(tick) * plotWidth;
    const text = tick === scale.end ? `${numberText(tick)} ${unit}` : numberText(tick);
    return [
      element('line', { class: 'axis', x1: x, x2: x, y1: top - 6, y2: y }),
      element('text', { class: 'small middle', x, y: y + 16 }, text),
    ];
  });
}
