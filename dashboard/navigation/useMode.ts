import { useCallback } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { addressOf, modeOf, type Mode } from './places.js';

export function useMode(): Mode {
  return modeOf(useLocation().path);
}

/** A function that creates addresses in the current mode. */
export function useAddress(): (place: string) => string {
  const mode = useMode();
  return useCallback((place: string) => addressOf(mode, place), [mode]);
}
