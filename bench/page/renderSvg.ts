import { plot, type PlotOptions } from '@observablehq/plot';
import { DOMParser, SVGElement } from 'linkedom';
import { z } from 'zod';

/**
 * The colors of a light page and of a dark one, as GitHub has them. A page that shows the file as an image cannot style its content,
 * so the file contains both. Classes are set by the charts.
 */
const style = [
  'svg{color:#1f2328}.muted{fill:#59636e}.grid{stroke:#d1d9e0}',
  '.first{--series:#0969da}.second{--series:#8c959f}.area{fill:var(--series)}.line{stroke:var(--series)}',
  '@media(prefers-color-scheme:dark){svg{color:#f0f6fc}.muted{fill:#9198a1}.grid{stroke:#3d444d}.first{--series:#4493f8}}',
].join('');

/**
 * An SVG file that needs no script, font or browser. The same options give the same text.
 * @param description the text alternative
 */
export function renderSvg(description: string, options: PlotOptions): string {
  const document = new DOMParser().parseFromString('<svg></svg>', 'image/svg+xml');
  const elementSchema = z.custom<ReturnType<typeof document.createElement>>(
    (value) => value instanceof SVGElement,
  );
  const root = elementSchema.parse(plot({ ...options, document, style: { fontSize: '12px' } }));
  const add = (name: string, text: string) => {
    const element = document.createElement(name);
    element.textContent = text;
    root.prepend(element);
  };
  add('style', style);
  add('title', description);
  // A separate file needs the namespace, which Plot does not write.
  root.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  root.setAttribute('role', 'img');
  return `${root.outerHTML}\n`;
}
