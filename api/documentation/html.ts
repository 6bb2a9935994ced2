/** Markup that is safe to send, because the template `html` escapes all text that is inserted. */
export interface Html {
  readonly markup: string;
}

type Content = Html | string | number | readonly Content[];

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template of markup. The template escapes text, and inserts markup and lists of markup unchanged. */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return { markup: String.raw({ raw: strings }, ...contents.map(markupOf)) };
}

/** Markup of a text whose words in backticks are code. */
export function textWithCode(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

function markupOf(content: Content): string {
  if (typeof content === 'string' || typeof content === 'number') {
    return String(content).replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
  }
  return 'markup' in content ? content.markup : content.map(markupOf).join('');
}
