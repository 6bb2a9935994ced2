import { useEffect, useState } from 'preact/hooks';

import { dueTime, relativeTime } from './timeText.js';
import { useTimeTexts } from './zone.js';

const everyMs = 15_000;
const textsOfForms = { relative: relativeTime, due: dueTime } as const;

interface TimeProps {
  /** The time in ISO 8601. */
  readonly at: string;
  /** The form of the time. A `relative` or `due` time is updated as time passes. */
  readonly form?: 'relative' | 'due' | 'exact';
}

/** A time in the time zone of the user's choice. The tooltip shows the exact time in UTC. */
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
  const texts = useTimeTexts();
  const moment = new Date(at);
  return (
    <time dateTime={at} title={at}>
      {form === 'exact'
        ? texts.short(moment, new Date(now))
        : textsOfForms[form](moment, new Date(Math.max(now, Date.now())))}
    </time>
  );
}
