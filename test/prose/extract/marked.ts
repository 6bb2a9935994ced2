import { createPassageBuilder, type Passage, type PassageKind, type Span } from '../passage.js';

/** Code, links, and what is dropped: emphasis, tags. An underscore or a star within a word is a part of a name. */
const inlineMarkup =
  /(?<code>(?<ticks>`+)(?!`)[^]*?[^`]\k<ticks>(?!`)|https?:\/\/[^\s)>]+)|!?\[(?<link>(?:[^\][`]|`[^`]*`)*)\](?:\([^)\s]*\)|\[[^\]]*\])|\*\*|<\/?[a-z][^>]*>|(?<![\w*])[*_](?=\w)|(?<=[\w.`])[*_](?![\w*])/gu;

/** One paragraph of Markdown as a passage: without its markup, and with a placeholder for each piece of code. */
export function markedPassage(source: string, lines: readonly Span[], kind: PassageKind): Passage | null {
  const { text, offsets } = joinLines(source, lines);
  const builder = createPassageBuilder();
  const offsetOf = (index: number): number => offsets[index] ?? 0;
  const addPlain = (start: number, end: number): void => {
    for (let index = start; index < end; index += 1) {
      builder.add(text.charAt(index), offsetOf(index));
    }
  };
  const addMarked = (from: number, to: number): void => {
    let last = from;
    for (const match of text.slice(from, to).matchAll(inlineMarkup)) {
      const start = from + match.index;
      addPlain(last, start);
      last = start + match[0].length;
      const link = match.groups?.['link'];
      if (match.groups?.['code'] !== undefined) {
        builder.addPlaceholder(offsetOf(start));
      } else if (link !== undefined) {
        const begin = start + match[0].indexOf('[') + 1;
        addMarked(begin, begin + link.length);
      }
    }
    addPlain(last, to);
  };
  addMarked(0, text.length);
  return builder.build(kind);
}

function joinLines(source: string, lines: readonly Span[]) {
  const offsets: number[] = [];
  let text = '';
  for (const { start, end } of lines) {
    for (let offset = start; offset < end; offset += 1) {
      offsets.push(offset);
    }
    offsets.push(end);
    text += `${source.slice(start, end)} `;
  }
  return { text, offsets };
}

/** How a line of Markdown begins, apart from the text of a paragraph. */
const lineStarts = {
  fence: /^\s*(?:`{3,}|~{3,})/u,
  htmlComment: /^\s*<!--.*-->\s*$/u,
  tableRule: /^\s*\|[\s|:-]+$/u,
  tableRow: /^\s*\|/u,
  /** The paragraph is one line. */
  heading: /^\s*#{1,6}\s+/u,
  /** A paragraph begins: an item of a list, a quotation, a tag of JSDoc, which is a part of its text. */
  item: /^\s*(?:[-*+]\s+|\d+[.)]\s+|>\s?|(?=@\w))/u,
};

/** The passages of a text in Markdown, given as its lines. Fenced code is left out. */
export function markedPassages(source: string, lines: readonly Span[], kind: PassageKind): Passage[] {
  const passages: (Passage | null)[] = [];
  let paragraph: Span[] = [];
  let isFenced = false;

  const endParagraph = (): void => {
    if (paragraph.length > 0) {
      passages.push(markedPassage(source, paragraph, kind));
      paragraph = [];
    }
  };
  const beginParagraph = ({ start, end }: Span, markup: string): void => {
    endParagraph();
    paragraph.push({ start: start + markup.length, end });
  };
  const addProse = (line: Span, text: string): void => {
    const heading = lineStarts.heading.exec(text);
    const item = lineStarts.item.exec(text);
    if (heading !== null) {
      beginParagraph(line, heading[0]);
      endParagraph();
    } else if (item !== null) {
      beginParagraph(line, item[0]);
    } else {
      paragraph.push(line);
    }
  };

  for (const line of lines) {
    const text = source.slice(line.start, line.end);
    const isFence = lineStarts.fence.test(text);
    if (isFence || isFenced || isBetweenParagraphs(text)) {
      endParagraph();
      isFenced = isFence !== isFenced;
    } else if (lineStarts.tableRow.test(text)) {
      endParagraph();
      passages.push(...cellsOf(source, line).map((cell) => markedPassage(source, [cell], kind)));
    } else {
      addProse(line, text);
    }
  }
  endParagraph();
  return passages.filter((passage) => passage !== null);
}

function isBetweenParagraphs(text: string): boolean {
  return text.trim() === '' || lineStarts.htmlComment.test(text) || lineStarts.tableRule.test(text);
}

function cellsOf(source: string, { start, end }: Span): Span[] {
  const text = source.slice(start, end);
  return Array.from(text.matchAll(/(?:[^|`\\]|\\.|`[^`]*`)+/gu), (match) => ({
    start: start + match.index,
    end: start + match.index + match[0].length,
  }));
}

/** The lines of a part of a source, without their ends. */
export function linesOf(source: string, { start, end }: Span): Span[] {
  const lines: Span[] = [];
  let begin = start;
  while (begin <= end) {
    const found = source.indexOf('\n', begin);
    const last = found === -1 || found > end ? end : found;
    lines.push({ start: begin, end: last });
    begin = last + 1;
  }
  return lines;
}
