export type Mode = 'live' | 'test';

/** The path of the dashboard. The paths of all dashboard pages begin with this path. */
export const home = '/dashboard';
const testHome = `${home}/test`;

/**
 * The mode of a path. The path contains the mode, so a shared link opens the same data and each tab has its own mode.
 */
export function modeOf(path: string): Mode {
  return path === testHome || path.startsWith(`${testHome}/`) ? 'test' : 'live';
}

/** The address of a path such as `/events` in a mode. The path `/` is the overview. */
export function addressOf(mode: Mode, place: string): string {
  const base = mode === 'test' ? testHome : home;
  return place === '/' ? base : `${base}${place}`;
}

/** The path of an address without the mode. The function `placeOf` is the inverse of `addressOf`. */
export function placeOf(path: string): string {
  const base = modeOf(path) === 'test' ? testHome : home;
  return path.slice(base.length) || '/';
}

/**
 * The corresponding page in the other mode. A single event or webhook exists in one mode only, so the result is the
 * list of events or webhooks.
 */
export function counterpart(path: string): string {
  const [, section = ''] = placeOf(path).split('/');
  return addressOf(modeOf(path) === 'test' ? 'live' : 'test', `/${section}`);
}
