import { html, type Html } from './html.js';

export interface Page {
  readonly title: string;
  /** What leads around the pages, beside the content where there is room for it. */
  readonly navigation: Html;
  readonly content: Html;
}

/** A whole page, as text. It needs nothing but its stylesheet. */
export function pageText({ title, navigation, content }: Page): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <a class="name" href="/docs">Postrider</a>
          <a href="/docs/errors">Errors</a>
          <a href="/openapi.json">OpenAPI</a>
        </header>
        <div class="columns">
          <nav aria-label="Contents">${navigation}</nav>
          <main id="content" tabindex="-1">${content}</main>
        </div>
      </body>
    </html> `;
  return page.markup;
}

/** Code as a block that the keyboard can scroll. */
export function codeBlock(label: string, text: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`;
}

export function jsonBlock(label: string, value: unknown): Html {
  return codeBlock(label, JSON.stringify(value, null, 2));
}
