import { useEffect, useState } from 'preact/hooks';

/**
 * A color of the theme in the form that a canvas accepts. The style sheet registers the custom property as a color, so
 * the browser resolves its value.
 */
export function themeColor(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property);
}

/** A counter that changes with the theme, because a new theme requires that the plots are redrawn. */
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
