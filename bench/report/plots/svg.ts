/** A part of a drawing, as text that is safe to put into another. */
export interface Markup {
  readonly markup: string;
}

type Attributes = Readonly<Record<string, string | number>>;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** An element of SVG. Text among its children, and values of attributes, may hold anything. */
export function element(
  name: string,
  attributes: Attributes,
  ...children: readonly (Markup | string)[]
): Markup {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${attributeText(value)}"`);
  const inside = children.map((child) => (typeof child === 'string' ? escape(child) : child.markup));
  return { markup: `<${name}${written.join('')}>${inside.join('')}</${name}>` };
}

/**
 * A whole drawing, in colours that suit a light page and a dark one.
 * @param title what it shows, for those who do not see it too
 */
export function drawing(
  { width, height, title }: { readonly width: number; readonly height: number; readonly title: string },
  children: readonly Markup[],
): string {
  const root = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
    },
    element('title', {}, title),
    element('style', {}, style),
    ...children,
  );
  return `${root.markup}\n`;
}

const style = [
  'text{font:13px system-ui,sans-serif;fill:#1f2328}',
  '.small{font-size:11px;fill:#59636e}.end{text-anchor:end}.middle{text-anchor:middle}',
  '.axis{stroke:#d1d9e0;stroke-width:1}.spread{stroke:#1f2328;stroke-width:1.5}',
  '.first{fill:#0969da}.second{fill:#8c959f}.line{fill:none;stroke-width:1.75}',
  '.line.first{fill:none;stroke:#0969da}.line.second{fill:none;stroke:#8c959f}',
  '@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.small{fill:#9198a1}.axis{stroke:#3d444d}',
  '.spread{stroke:#f0f6fc}.first{fill:#4493f8}.line.first{stroke:#4493f8}}',
].join('');

function attributeText(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 10) / 10) : escape(value);
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? character);
}
