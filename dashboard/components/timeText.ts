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

const timeOfDay = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
const sameYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...timeOfDay });
const anyYear = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  ...timeOfDay,
});

/**
 * A time such as `21 Nov, 14:02:11` in the user's time zone. The text contains the year unless it is the current year.
 */
export function shortTime(moment: Date, now: Date): string {
  return (moment.getFullYear() === now.getFullYear() ? sameYear : anyYear).format(moment);
}

const minuteOfDay = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const toTheMinute = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...minuteOfDay });

/** A time such as `21 Nov, 14:02` in the user's time zone. */
export function minuteTime(moment: Date): string {
  return toTheMinute.format(moment);
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

/** A time as the value of an input of the type `datetime-local`: local time in minutes. */
export function fieldTime(moment: Date): string {
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * minuteMs);
  return local.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}
