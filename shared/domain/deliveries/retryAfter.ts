const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const month = `(?<month>${months.join('|')})`;
const timeOfDay = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)';

/** The three forms of an HTTP date (RFC 9110 section 5.6.7). A client must accept the two obsolete forms too. */
const dateForms = [
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d{2}) ${month} (?<year>\\d{4}) ${timeOfDay} GMT$`),
  new RegExp(
    `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d{2})-${month}-(?<year>\\d{2}) ${timeOfDay} GMT$`,
  ),
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${month} (?<day>[ \\d]\\d) ${timeOfDay} (?<year>\\d{4})$`),
];

/** The latest time of a JavaScript `Date` (ECMA-262, time values). */
const endOfTime = 8.64e15;

/**
 * The time of a `Retry-After` header (RFC 9110 section 10.2.3): whole seconds from `now`, or a date, possibly in the
 * past. The result is null if the header is neither a number nor a date. A number of seconds beyond the latest `Date`
 * counts as the latest `Date`.
 */
export function parseRetryAfter(value: string, now: Date): Date | null {
  const text = value.trim();
  if (/^\d+$/.test(text)) {
    return new Date(Math.min(now.getTime() + Number(text) * 1000, endOfTime));
  }
  for (const form of dateForms) {
    const groups = form.exec(text)?.groups;
    if (groups !== undefined) {
      return dateOf(groups, now);
    }
  }
  return null;
}

/** The `Date` of a matched HTTP date; null if the calendar has no such day. The name of the weekday is ignored. */
function dateOf(groups: Record<string, string | undefined>, now: Date): Date | null {
  const number = (name: string): number => Number(groups[name]);
  const monthIndex = months.indexOf(groups['month'] ?? '');
  const year = groups['year']?.length === 2 ? fullYear(number('year'), now) : number('year');
  const date = new Date(0);
  // `Date.UTC` is unsuitable, because it reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, monthIndex, number('day'));
  if (date.getUTCMonth() !== monthIndex) {
    return null;
  }
  date.setUTCHours(number('hour'), number('minute'), number('second'));
  return date;
}

/**
 * The full year of two digits. A year more than 50 years ahead counts as the latest past year with the same digits (RFC
 * 9110 section 5.6.7).
 */
function fullYear(lastDigits: number, now: Date): number {
  const year = now.getUTCFullYear() - (now.getUTCFullYear() % 100) + lastDigits;
  return year > now.getUTCFullYear() + 50 ? year - 100 : year;
}
