import { useEffect, useState } from 'preact/hooks';

/** A colour of the theme as a canvas takes it. The custom property is registered as a colour, so it comes resolved. */
export function themeColor(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property);
}

/** A number that changes with the theme: what is drawn has to be drawn again. */
export function useThemeVersion(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const change = () => {
      setVersion((before) => before + 1);
    };
    const system = matchMedia('(prefers-color-scheme: dark)');
    const chosen = new MutationObserver(change);
    system.addEventListener('change', change);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', change);
      chosen.disconnect();
    };
  }, []);
  return version;
}
