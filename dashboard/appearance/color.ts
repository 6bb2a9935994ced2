/**
 * A color in OKLCH, in which equal steps of lightness look equal for each hue. The conversion is that of Björn
 * Ottosson, "A perceptual color space for image processing" (2020), as in CSS Color 4.
 */
export interface Oklch {
  /** From 0 (black) to 1 (white). */
  readonly lightness: number;
  readonly chroma: number;
  /** In radians. */
  readonly hue: number;
}

type Triple = readonly [number, number, number];

/** @param hex a color such as `#3a4fd0` */
export function oklchOf(hex: string): Oklch {
  const [red, green, blue] = linearOf(hex);
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return {
    lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    chroma: Math.hypot(a, b),
    hue: Math.atan2(b, a),
  };
}

/** The color as `#rrggbb`. If the screen cannot show it, it has the same lightness and hue, and less chroma. */
export function hexOf(color: Oklch): string {
  let [shown, beyond] = [0, color.chroma];
  if (isInGamut(linearOfOklch(color))) {
    return hexOfLinear(linearOfOklch(color));
  }
  for (let step = 0; step < 12; step += 1) {
    const chroma = (shown + beyond) / 2;
    if (isInGamut(linearOfOklch({ ...color, chroma }))) {
      shown = chroma;
    } else {
      beyond = chroma;
    }
  }
  return hexOfLinear(linearOfOklch({ ...color, chroma: shown }));
}

/** The contrast ratio of two colors, from 1 to 21, as WCAG 2.2 defines it. */
export function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return ((lighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05);
}

function luminance(hex: string): number {
  const [red, green, blue] = linearOf(hex);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linearOfOklch({ lightness, chroma, hue }: Oklch): Triple {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function isInGamut(color: Triple): boolean {
  return color.every((part) => part >= -0.0001 && part <= 1.0001);
}

function linearOf(hex: string): Triple {
  return [linearPart(hex, 1), linearPart(hex, 3), linearPart(hex, 5)];
}

function linearPart(hex: string, at: number): number {
  const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function hexOfLinear(color: Triple): string {
  const parts = color.map((part) => {
    const bounded = Math.min(1, Math.max(0, part));
    const encoded = bounded <= 0.0031308 ? bounded * 12.92 : 1.055 * bounded ** (1 / 2.4) - 0.055;
    return Math.round(encoded * 255)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}
