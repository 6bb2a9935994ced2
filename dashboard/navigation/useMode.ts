import { useCallback } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { addressOf, modeOf, type Mode } from './places.js';

/** The mode that the address is in. */
export function useMode(): Mode {
  return modeOf(useLocation().path);
}

/** Addresses of places in the present mode. */
export function useAddress(): (place: string) => string {
  const mode = useMode();
  return useCallback((place: string) => addressOf(mode, place), [mode]);
}
