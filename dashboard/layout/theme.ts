export type Theme = 'system' | 'light' | 'dark';

const key = 'postrider.theme';

/** The theme that the reader has chosen in this browser. */
export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(key);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    // Some browsers refuse storage in private windows.
    return 'system';
  }
}

export function storeTheme(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // It holds until the page is left.
  }
}

/** Every colour is a `light-dark()`: the colour scheme of the document decides. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}
