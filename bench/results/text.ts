import type { JudgedTarget } from './targets.js';
import type { Unit } from './result.js';
import type { Spread } from './spread.js';

const decimalsBelow = [
  { limit: 10, decimals: 2 },
  { limit: 100, decimals: 1 },
];

/** Three significant digits, since more are not measured. Whole numbers have no decimals. */
export function numberText(value: number | null): string {
  if (value === null) {
    return '–';
  }
  const decimals = Number.isInteger(value)
    ? 0
    : (decimalsBelow.find(({ limit }) => value < limit)?.decimals ?? 0);
  return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** The median, with the smallest and the largest value if there were several runs. */
export function spreadText(spread: Spread | null): string {
  if (spread === null) {
    return '–';
  }
  const middle = numberText(spread.median);
  return spread.runs === 1 ? middle : `${middle} (${numberText(spread.least)} – ${numberText(spread.most)})`;
}

export function ratioText(ratio: number | null): string {
  return ratio === null ? '–' : ratio.toFixed(2);
}

/** `≥ 2,000 /s`, `≥ 80 % of bare`. */
export function targetText({ bound, limit, of, unit }: JudgedTarget): string {
  const sign = bound === 'at least' ? '≥' : '≤';
  return of === 'ratio'
    ? `${sign} ${numberText(limit * 100)} % of bare`
    : `${sign} ${amountText(limit, unit)}`;
}

export function targetValueText({ value, of, unit }: JudgedTarget): string {
  if (value === null) {
    return '–';
  }
  return of === 'ratio' ? `${numberText(Math.round(value * 100))} % of bare` : amountText(value, unit);
}

function amountText(value: number, unit: Unit): string {
  return `${numberText(value)} ${unit}`;
}
