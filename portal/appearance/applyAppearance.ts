import { setAccent } from '../../dashboard/appearance/accentStyle.js';
import type { Appearance } from './appearance.js';

/** Applies an appearance to the page. */
export function applyAppearance({ accentColor, colorScheme, name }: Appearance, page: Document): void {
  const root = page.documentElement;
  if (colorScheme !== 'auto') {
    root.dataset['theme'] = colorScheme;
  }
  if (name !== null) {
    page.title = `${name} · Webhooks`;
  }
  setAccent(root, accentColor);
}
