import { contrast, hexOf, oklchOf, type Oklch } from './color.js';

/** The colors of one theme that follow from the accent color of an account. */
export interface Shades {
  /** The background of buttons. Its contrast with the page is at least 3 : 1. */
  readonly fill: string;
  readonly fillHover: string;
  /** The text on both. Its contrast with them is at least 4.5 : 1. */
  readonly onFill: string;
  /** Links and outlines. Their contrast with each background is at least 4.5 : 1. */
  readonly text: string;
  /** The background of the chosen item. */
  readonly soft: string;
}

export type Theme = 'light' | 'dark';

/** The ratios that WCAG 2.2 requires at level AA: success criteria 1.4.3 (text) and 1.4.11 (controls). */
export const textContrast = 4.5;
export const controlContrast = 3;

/** The backgrounds of each theme, as in the style sheet: the lightest and the darkest of them. */
export const grounds = {
  light: ['#ffffff', '#f1f3f6'],
  dark: ['#0d1015', '#1b212b'],
} as const;
const inks = ['#ffffff', '#000000'] as const;
const soft = {
  light: { lightness: 0.955, chroma: 0.03 },
  dark: { lightness: 0.25, chroma: 0.04 },
} as const;
/** How far the background of a button moves when the pointer is over it. */
const hoverStep = 0.04;
const lightnessStep = 0.005;

/**
 * Shades of an accent color that are legible in a theme. The hue stays, and the chroma stays if the screen can show
 * it. Only the lightness moves, and only as far as necessary.
 * @param accent a color such as `#3a4fd0`
 */
export function shadesOf(accent: string, theme: Theme): Shades {
  const color = oklchOf(accent);
  const { lightness, chroma } = soft[theme];
  const softColor = hexOf({ ...color, lightness, chroma: Math.min(color.chroma, chroma) });
  const behind = [...grounds[theme], softColor];
  const fill = nearest(
    color,
    (hex) =>
      grounds[theme].every((ground) => contrast(hex, ground) >= controlContrast) && inkOn(hex) !== null,
  );
  const onFill = inkOn(hexOf(fill)) ?? inks[0];
  const hovered = { ...fill, lightness: fill.lightness + (onFill === inks[0] ? -hoverStep : hoverStep) };
  return {
    fill: hexOf(fill),
    fillHover: hexOf(nearest(hovered, (hex) => contrast(hex, onFill) >= textContrast)),
    onFill,
    text: hexOf(nearest(color, (hex) => behind.every((ground) => contrast(hex, ground) >= textContrast))),
    soft: softColor,
  };
}

/** The text color on a background, or null if neither white nor black is legible enough. */
function inkOn(background: string): string | null {
  return inks.find((ink) => contrast(ink, background) >= textContrast) ?? null;
}

/** The color with the nearest lightness that fits. */
function nearest(color: Oklch, isFit: (hex: string) => boolean): Oklch {
  const steps = Math.ceil(1 / lightnessStep);
  for (let step = 0; step <= steps; step += 1) {
    for (const direction of [-1, 1]) {
      const moved = { ...color, lightness: color.lightness + direction * step * lightnessStep };
      if (moved.lightness >= 0 && moved.lightness <= 1 && isFit(hexOf(moved))) {
        return moved;
      }
    }
  }
  return color;
}
