/** Markup that is safe to send: made by `html`, which escapes whatever is put into it. */
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

/** Text as it may stand between tags and in quoted attributes. */
export function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}

/** A template of markup. Text is escaped; markup and lists of it are taken as they are. */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return { markup: String.raw({ raw: strings }, ...contents.map(markupOf)) };
}

function markupOf(content: Content): string {
  if (typeof content === 'string' || typeof content === 'number') {
    return escapeText(String(content));
  }
  return 'markup' in content ? content.markup : content.map(markupOf).join('');
}
