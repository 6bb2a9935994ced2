import { useCallback, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

export type ParameterChanges = Readonly<Record<string, string | null>>;

/** The parameters behind the address's `?`, and a way to change some: null takes one away. */
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

/** An address with some of its parameters changed. */
export function changedAddress(address: string, changes: ParameterChanges): string {
  const changed = new URL(address, 'http://page.invalid');
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') {
      changed.searchParams.delete(name);
    } else {
      changed.searchParams.set(name, value);
    }
  }
  return `${changed.pathname}${changed.search}`;
}
