export type Mode = 'live' | 'test';

/** Where the page lives. Everything below it is a place of the page's own. */
export const home = '/dashboard';
const testHome = `${home}/test`;

/** The mode stands in the path: a link that somebody shares opens the same data, and each tab has its own. */
export function modeOf(path: string): Mode {
  return path === testHome || path.startsWith(`${testHome}/`) ? 'test' : 'live';
}

/** The address of a place, such as `/events`, in a mode; `/` is the overview. */
export function addressOf(mode: Mode, place: string): string {
  const base = mode === 'test' ? testHome : home;
  return place === '/' ? base : `${base}${place}`;
}

/** The place that an address shows: the reverse of `addressOf`. */
export function placeOf(path: string): string {
  const base = modeOf(path) === 'test' ? testHome : home;
  return path.slice(base.length) || '/';
}

/** Where the same kind of thing is in the other mode. A single event or webhook is in one mode alone. */
export function counterpart(path: string): string {
  const [, section = ''] = placeOf(path).split('/');
  return addressOf(modeOf(path) === 'test' ? 'live' : 'test', `/${section}`);
}
