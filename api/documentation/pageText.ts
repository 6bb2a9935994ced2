import { html, type Html } from './html.js';

export interface Page {
  readonly title: string;
  /** The elements of `<head>` in addition to the elements of all documentation pages. */
  readonly head?: Html;
  readonly content: Html;
}

/** The text of a documentation page: the common head, the header with its links, and the content. */
export function pageText({ title, head = html``, content }: Page): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" type="image/png" sizes="32x32" href="/docs/favicon-32x32.png" />
        <link rel="icon" type="image/png" sizes="16x16" href="/docs/favicon-16x16.png" />
        <link rel="stylesheet" href="/docs/style.css" />
        ${head}
      </head>
      <body>
        <header>
          <a class="name" href="/docs">Postrider API</a>
          <a href="/docs/errors">Errors</a>
          <a href="/openapi.json">OpenAPI</a>
        </header>
        ${content}
      </body>
    </html> `;
  return page.markup;
}

/**
 * The stylesheet of the documentation pages, in the light and the dark theme. Swagger UI has its own stylesheet. The
 * dark theme of Swagger UI has no color for the names of headers, so they would be almost invisible.
 */
export const style = `:root {
  color-scheme: light dark;
  --text: #1c2127;
  --ground: #ffffff;
  --line: #d5dbe1;
  --accent: #0b5fb4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e4e8ec;
    --ground: #1c2022;
    --line: #3a434c;
    --accent: #7db9f5;
  }
}
body { margin: 0; color: var(--text); background: var(--ground); font: 1rem/1.55 system-ui, sans-serif; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; padding: 0.8rem 1rem; border-bottom: 1px solid var(--line); }
header .name { margin-right: auto; font-weight: 700; color: inherit; text-decoration: none; }
header a, .text a { color: var(--accent); }
.text { max-width: 56rem; margin: 0 auto; padding: 0 1rem 4rem; overflow-wrap: break-word; }
dt { margin-top: 1rem; font-weight: 600; }
dd { margin: 0.2rem 0 0; }
.dark-mode .swagger-ui table.headers td { color: var(--text); }
`;
