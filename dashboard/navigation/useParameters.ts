import { useCallback, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { changedAddress, type ParameterChanges } from './changedAddress.js';

/**
 * The query parameters of the address, and a function that changes some of them. The value null removes a query
 * parameter.
 */
export function useParameters(): readonly [URLSearchParams, (changes: ParameterChanges) => void] {
  const { url, route } = useLocation();
  const parameters = useMemo(() => new URL(url, location.origin).searchParams, [url]);
  const change = useCallback(
    (changes: ParameterChanges) => {
      route(changedAddress(url, changes));
    },
    [url, route],
  );
  return [parameters, change];
}
