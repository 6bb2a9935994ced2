const millisecondsPerUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const pattern = /^(\d+)(ms|s|m|h|d)$/;

/**
 * The milliseconds of a duration such as `15s` or `90d`: a number with the unit ms, s, m, h or d. The result is null if
 * the text is not a duration.
 */
export function milliseconds(text: string): number | null {
  const [, amount, unit] = pattern.exec(text) ?? [];
  return amount === undefined || unit === undefined
    ? null
    : Number(amount) * (millisecondsPerUnit[unit] ?? 0);
}
