import { useEffect, useState } from 'preact/hooks';

/** The fragment of the address, and how often it has changed since the page was opened. */
export function useFragment(): { readonly fragment: string; readonly moves: number } {
  const [state, setState] = useState({ fragment: location.hash, moves: 0 });
  useEffect(() => {
    const change = () => {
      setState(({ moves }) => ({ fragment: location.hash, moves: moves + 1 }));
    };
    addEventListener('hashchange', change);
    return () => {
      removeEventListener('hashchange', change);
    };
  }, []);
  return state;
}
