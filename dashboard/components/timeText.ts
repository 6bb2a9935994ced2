const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const units = [
  ['day', dayMs],
  ['hour', hourMs],
  ['minute', minuteMs],
  ['second', secondMs],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** A time relative to now, such as `3 min. ago` or `in 2 hr.`. */
export function relativeTime(moment: Date, now: Date): string {
  const away = moment.getTime() - now.getTime();
  const [unit, size] = units.find(([, unitMs]) => Math.abs(away) >= unitMs) ?? ['second', secondMs];
  return Math.abs(away) < 5 * secondMs ? 'just now' : relative.format(Math.trunc(away / size), unit);
}

/** A time at which something is due, such as `in 4 min.`, `now` or `due 3 min. ago`. */
export function dueTime(moment: Date, now: Date): string {
  const ahead = moment.getTime() - now.getTime();
  if (ahead >= 5 * secondMs) {
    return relativeTime(moment, now);
  }
  return ahead > -minuteMs ? 'now' : `due ${relativeTime(moment, now)}`;
}

/** A duration such as `340 ms` or `1.2 s`. */
export function durationText(milliseconds: number): string {
  return milliseconds < secondMs
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / secondMs).toFixed(milliseconds < 10 * secondMs ? 1 : 0)} s`;
}

const numbers = new Intl.NumberFormat('en');

/** A number with separators, such as `1,204`. */
export function countText(count: number): string {
  return numbers.format(count);
}

/** A number with its noun, such as `3 events` or `1 event`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : plural}`;
}
