/** The time zone in which the dashboard shows times: the zone of the browser, or UTC. */
export type ZoneName = 'local' | 'utc';

/** The texts of times in a time zone. Each text of a time of day ends with the name of its zone. */
export interface TimeTexts {
  readonly zone: ZoneName;
  /** The short name of the zone now, such as `UTC` or `GMT+1`. */
  readonly zoneText: string;
  /** A time such as `21 Nov, 14:02:11 UTC`. The text contains the year unless it is the current year. */
  readonly short: (moment: Date, now: Date) => string;
  /** A time such as `21 Nov, 14:02 UTC`. */
  readonly minute: (moment: Date) => string;
  /** A label such as `14:02` on the axis of a plot. */
  readonly axisTime: (moment: Date) => string;
  /** A label such as `21 Nov` on the axis of a plot. */
  readonly axisDay: (moment: Date) => string;
  /** The value of an input of the type `datetime-local`, to the minute. */
  readonly field: (moment: Date) => string;
  /** The time in an input of the type `datetime-local`, or null for an empty or incomplete input. */
  readonly ofField: (text: string) => Date | null;
}

const minuteMs = 60_000;
const date = { day: 'numeric', month: 'short' } as const;
const timeOfDay = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const fieldLength = 'YYYY-MM-DDTHH:MM'.length;

export function createTimeTexts(zone: ZoneName): TimeTexts {
  const timeZone = zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
  const formatOf = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone });
  const withZone = { ...timeOfDay, timeZoneName: 'short' } as const;
  const sameYear = formatOf({ ...date, ...withZone, second: '2-digit' });
  const anyYear = formatOf({ ...date, ...withZone, second: '2-digit', year: 'numeric' });
  const toTheMinute = formatOf({ ...date, ...withZone });
  const axisTime = formatOf(timeOfDay);
  const axisDay = formatOf(date);
  const year = formatOf({ year: 'numeric' });
  const zonePart = formatOf({ timeZoneName: 'short' });
  return {
    zone,
    zoneText:
      zonePart.formatToParts(new Date()).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone,
    short: (moment, now) => (year.format(moment) === year.format(now) ? sameYear : anyYear).format(moment),
    minute: (moment) => toTheMinute.format(moment),
    axisTime: (moment) => axisTime.format(moment),
    axisDay: (moment) => axisDay.format(moment),
    field: (moment) => {
      const offsetMs = zone === 'utc' ? 0 : moment.getTimezoneOffset() * minuteMs;
      return new Date(moment.getTime() - offsetMs).toISOString().slice(0, fieldLength);
    },
    ofField: (text) => {
      const moment = new Date(zone === 'utc' ? `${text}Z` : text);
      return Number.isNaN(moment.getTime()) ? null : moment;
    },
  };
}
