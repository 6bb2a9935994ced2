import picocolors from 'picocolors';

import { onOneLine } from '../../terminal/printableBytes.js';
import type { ReceivedEvent } from '../api/events.js';
import type { ForwardOutcome } from './forward.js';

/** The line of a forwarded event: time, type, id, status of the receiver, duration. */
export function forwardLine(event: ReceivedEvent, outcome: ForwardOutcome, isAgain: boolean): string {
  const { at, statusCode, error, durationMs } = outcome;
  const status = statusCode === null ? onOneLine(error ?? '') : String(statusCode);
  return [
    clockTime(at),
    onOneLine(event.type).padEnd(24),
    event.id,
    isSuccess(outcome) ? picocolors.green(status) : picocolors.red(status),
    `${durationMs} ms`,
    ...(isAgain ? ['again'] : []),
  ].join('  ');
}

/** A line of NDJSON about a forwarded event, with the event byte for byte, except that it has no line breaks. */
export function forwardJson(event: ReceivedEvent, outcome: ForwardOutcome, isAgain: boolean): string {
  const { at, statusCode, error, durationMs } = outcome;
  const fields = {
    time: at.toISOString(),
    type: event.type,
    id: event.id,
    statusCode,
    error,
    durationMs,
    again: isAgain,
  };
  // In a JSON text, line breaks occur only between its tokens.
  const json = event.json.toString().replaceAll(/[\r\n]+/g, ' ');
  return `${JSON.stringify(fields).slice(0, -1)},"event":${json}}`;
}

/** Whether a delivery with this outcome would be a success. */
export function isSuccess({ statusCode }: ForwardOutcome): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300;
}

/** The time of day of this machine, for people. */
export function clockTime(time: Date): string {
  const parts = [time.getHours(), time.getMinutes(), time.getSeconds()];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
