import type { Estimate } from './estimate.js';
import type { JudgedTarget } from './targets.js';

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

/** The median, with the interval if there is one. */
export function estimateText(estimate: Estimate | null): string {
  return textWith(estimate, numberText);
}

export function ratioText(estimate: Estimate | null): string {
  return textWith(estimate, (ratio) => ratio.toFixed(3));
}

function textWith(estimate: Estimate | null, valueText: (value: number) => string): string {
  if (estimate === null) {
    return '–';
  }
  const { median, interval } = estimate;
  const middle = valueText(median);
  return interval === null ? middle : `${middle} (${valueText(interval.low)} – ${valueText(interval.high)})`;
}

/** `≥ 2,000 /s`, `≥ 80 % of bare`. */
export function targetText({ bound, limit, of, unit }: JudgedTarget): string {
  const sign = bound === 'at least' ? '≥' : '≤';
  return of === 'ratio' ? `${sign} ${percentText(limit)} % of bare` : `${sign} ${numberText(limit)} ${unit}`;
}

/** `2,100 (2,050 – 2,150) /s`, `85 (82 – 88) % of bare`. */
export function targetValueText({ estimate, of, unit }: JudgedTarget): string {
  if (estimate === null) {
    return '–';
  }
  return of === 'ratio'
    ? `${textWith(estimate, percentText)} % of bare`
    : `${estimateText(estimate)} ${unit}`;
}

function percentText(share: number): string {
  return numberText(Math.round(share * 100));
}
