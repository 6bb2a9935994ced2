import { moduleName } from './calls.js';

/**
 * The code that prepares a realm for a transformation. It runs once for each instance, before the snapshot, so every
 * call starts with the realm that it leaves. Its value is an array of functions, which `interpreter.ts` calls:
 *
 * 1. The call of a transformation with its module and the JSON text of the event. The first character of the returned
 *    text names the outcome: `a`ccepted, `s`kipped, `i`nvalid code, a wrong `r`esult, or an `e`vent. An event has the
 *    JSON text of its URL, a line break, and the JSON text of its data, which is empty for unchanged data.
 * 2. The description of a thrown value as a JSON text.
 *
 * The sandbox has no clock, no time zone and no randomness, because the same code and event must give the same request.
 * So `Date` needs a time, and its local time is UTC. Transformations can change every object of the realm, but not the
 * functions that the prelude has captured. Such changes end with the call.
 */
export const prelude = `(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { apply, construct, defineProperty, getPrototypeOf, ownKeys } = Reflect;
  const { isArray } = Array;
  const setHidden = (object, name, value) =>
    defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });

  for (const name of ['SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry', 'performance']) {
    delete globalThis[name];
  }
  delete Math.random;

  const SystemDate = Date;
  const times = SystemDate.prototype;
  const { UTC, parse: parseTime } = SystemDate;
  const { getTime, toUTCString } = times;
  const { exec } = RegExp.prototype;
  const pattern = (source) => {
    const regExp = new RegExp(source);
    return (text) => apply(exec, regExp, [text]) !== null;
  };
  const isLocal = pattern('^[+-]?\\\\d{4,6}-\\\\d\\\\d-\\\\d\\\\d[T ]\\\\d\\\\d:\\\\d\\\\d(:\\\\d\\\\d([.]\\\\d+)?)?$');
  const isFixed = pattern('^[+-]?\\\\d{4,6}(-\\\\d\\\\d(-\\\\d\\\\d)?)?$|(Z|GMT|UTC|[+-]\\\\d\\\\d:?\\\\d\\\\d)$');
  const timeOfText = (text) => (isLocal(text) ? parseTime(text + 'Z') : isFixed(text) ? parseTime(text) : NaN);
  const timeOf = (value) => {
    if (typeof value === 'string') {
      return timeOfText(value);
    }
    try {
      return apply(getTime, value, []);
    } catch {
      return Number(value);
    }
  };
  const noClock = () => {
    throw new TypeError('a transformation has no clock: pass a time to Date, such as event.timestamp');
  };
  const FixedDate = function Date(...parts) {
    if (new.target === undefined || parts.length === 0) {
      noClock();
    }
    return construct(SystemDate, [parts.length === 1 ? timeOf(parts[0]) : UTC(...parts)], new.target);
  };
  FixedDate.prototype = times;
  setHidden(times, 'constructor', FixedDate);
  setHidden(FixedDate, 'UTC', UTC);
  setHidden(FixedDate, 'parse', (text) => timeOfText(String(text)));
  setHidden(FixedDate, 'now', noClock);
  for (const field of ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds']) {
    setHidden(times, 'get' + field, times['getUTC' + field]);
    if (field !== 'Day') {
      setHidden(times, 'set' + field, times['setUTC' + field]);
    }
  }
  for (const name of ownKeys(times)) {
    if (typeof name === 'string' && /^to(Locale)?(Date|Time)?String$/.test(name)) {
      setHidden(times, name, toUTCString);
    }
  }
  setHidden(times, 'getTimezoneOffset', () => 0);
  delete times.getYear;
  delete times.setYear;
  setHidden(globalThis, 'Date', FixedDate);

  const isSynchronous = (() => {
    const others = [async () => {}, function* () {}, async function* () {}].map(getPrototypeOf);
    const [first, second, third] = others;
    return (code) => {
      const kind = getPrototypeOf(code);
      return kind !== first && kind !== second && kind !== third;
    };
  })();
  const invalid = (transformation) =>
    typeof transformation !== 'function'
      ? 'iThe code has no function as its default export.'
      : isSynchronous(transformation)
        ? null
        : 'iThe default export is asynchronous or a generator. Export a synchronous function.';
  const wrongResult = (result) => {
    if (typeof result !== 'object' || isArray(result)) {
      return 'rThe code returned no event. Return an event or null.';
    }
    if (typeof result.then === 'function') {
      return 'rThe code returned a promise. Return an event or null.';
    }
    return null;
  };

  const call = (module, text) => {
    const transformation = module.default;
    const problem = invalid(transformation);
    if (problem !== null || text === undefined) {
      return problem ?? 'a';
    }
    const event = parse(text);
    const before = stringify(event.data);
    const { url: urlBefore } = event;
    const result = transformation(event);
    if (result === null) {
      return 's';
    }
    const mistake = wrongResult(result);
    if (mistake !== null) {
      return mistake;
    }
    const { data, url = urlBefore } = result;
    if (typeof url !== 'string') {
      return 'rThe code returned a \`url\` that is no text.';
    }
    if (typeof data !== 'object' || data === null || isArray(data)) {
      return 'rThe code returned no object as \`data\`.';
    }
    const after = stringify(data);
    return 'e' + stringify(url) + '\\n' + (after === before ? '' : after);
  };

  const describe = (error) => {
    if (typeof error !== 'object' || error === null) {
      return stringify({ name: '', message: String(error), stack: '' });
    }
    const { name = '', message = error, stack = '' } = error;
    return stringify({ name: String(name), message: String(message), stack: String(stack) });
  };

  return [call, describe];
})()`;

/** The line of the code in which an error was thrown, from the stack of the error. Null if the error names no line. */
export function lineOf(stack: string): number | null {
  const place = new RegExp(`${moduleName.replace('.', '[.]')}:(\\d+)`).exec(stack);
  return place === null ? null : Number(place[1]);
}
