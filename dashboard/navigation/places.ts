export type Mode = 'live' | 'test';

/** The path of the dashboard. All its pages are below this path. */
export const home = '/dashboard';
const testHome = `${home}/test`;

/** The mode is in the path, so a shared link opens the same data and each tab has its own mode. */
export function modeOf(path: string): Mode {
  return path === testHome || path.startsWith(`${testHome}/`) ? 'test' : 'live';
}

/** The address of a path such as `/events` in a mode. `/` is the overview. */
export function addressOf(mode: Mode, place: string): string {
  const base = mode === 'test' ? testHome : home;
  return place === '/' ? base : `${base}${place}`;
}

/** The path of an address, the inverse of `addressOf`. */
export function placeOf(path: string): string {
  const base = modeOf(path) === 'test' ? testHome : home;
  return path.slice(base.length) || '/';
}

/** The corresponding page in the other mode. A single event or webhook exists in one mode only, so its list is used. */
export function counterpart(path: string): string {
  const [, section = ''] = placeOf(path).split('/');
  return addressOf(modeOf(path) === 'test' ? 'live' : 'test', `/${section}`);
}
