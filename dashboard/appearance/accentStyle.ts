import { shadesOf, type Shades } from './accent.js';

const properties: Readonly<Record<string, keyof Shades>> = {
  '--accent': 'fill',
  '--accent-hover': 'fillHover',
  '--on-accent': 'onFill',
  '--link': 'text',
  '--accent-soft': 'soft',
};

/**
 * Gives an element and its content the shades of an accent color, in both color schemes. The styles are set by script,
 * because the policy of the page allows no inline styles.
 * @param accent a color such as `#3a4fd0`, or null for the default colors
 */
export function setAccent({ style }: HTMLElement, accent: string | null): void {
  if (accent === null) {
    Object.keys(properties).forEach((property) => style.removeProperty(property));
    return;
  }
  const [light, dark] = [shadesOf(accent, 'light'), shadesOf(accent, 'dark')];
  for (const [property, shade] of Object.entries(properties)) {
    style.setProperty(property, `light-dark(${light[shade]}, ${dark[shade]})`);
  }
}
