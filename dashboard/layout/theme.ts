export type Theme = 'system' | 'light' | 'dark';

const key = 'postrider.theme';

/** The theme that the user has selected in this browser. */
export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(key);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    // Some browsers block storage in private windows.
    return 'system';
  }
}

export function storeTheme(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // Without storage, the selected theme lasts until the page is closed.
  }
}

/**
 * Applies a theme to the document. Every color is a `light-dark()`, so the color scheme of the document selects the
 * color.
 */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}
