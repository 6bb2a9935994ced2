import { Marked } from 'marked';

import { escapeText, type Html } from './html.js';

/** Descriptions say what they say in text: tags are shown as they were written, and a link or an image is its text. */
const marked = new Marked({
  renderer: {
    html: ({ text }) => escapeText(text),
    link: ({ text }) => escapeText(text),
    image: ({ text }) => escapeText(text),
  },
});

/** CommonMark as paragraphs and lists. */
export function paragraphsOf(text: string): Html {
  return { markup: marked.parse(text, { async: false }) };
}

/** CommonMark as what stands within a line. */
export function lineOf(text: string): Html {
  return { markup: marked.parseInline(text, { async: false }) };
}
