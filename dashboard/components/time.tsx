import { useEffect, useState } from 'preact/hooks';

import { relativeTime, shortTime } from './timeText.js';

const everyMs = 15_000;

interface TimeProps {
  /** The time in ISO 8601. */
  readonly at: string;
  /** The form of the time. A `relative` time is updated as time passes. */
  readonly form?: 'relative' | 'exact';
}

/** A time in the user's time zone. The tooltip shows the exact time in UTC. */
export function Time({ at, form = 'exact' }: TimeProps) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (form === 'exact') {
      return undefined;
    }
    const timer = setInterval(() => {
      setNow(Date.now());
    }, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, [form]);
  const moment = new Date(at);
  return (
    <time dateTime={at} title={at}>
      {form === 'relative'
        ? relativeTime(moment, new Date(Math.max(now, Date.now())))
        : shortTime(moment, new Date(now))}
    </time>
  );
}
