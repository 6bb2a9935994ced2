export type PassageKind = 'comment' | 'document' | 'message' | 'title' | 'ui';

/** One paragraph without line breaks, and the place in its source of each of its characters. */
export interface Passage {
  readonly kind: PassageKind;
  readonly text: string;
  readonly offsets: readonly number[];
}

/** A part of a source whose characters are read as prose. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The word that stands for code, a value or an element: a noun that no rule looks for. */
export const placeholder = 'CODE';

/** Text that is collected from spans of a source. */
export interface PassageBuilder {
  readonly add: (text: string, offset: number) => void;
  /** A placeholder for a span that is not prose. */
  readonly addPlaceholder: (offset: number) => void;
  readonly addSpan: (source: string, span: Span) => void;
  readonly build: (kind: PassageKind) => Passage | null;
}

export function createPassageBuilder(): PassageBuilder {
  let text = '';
  const offsets: number[] = [];

  const addCharacter = (character: string, offset: number): void => {
    const isBlank = /\s/u.test(character);
    if (isBlank && (text === '' || text.endsWith(' '))) {
      return;
    }
    text += isBlank ? ' ' : character;
    offsets.push(offset);
  };

  return {
    add: (added, offset) => {
      for (const character of added) {
        addCharacter(character.length === 1 ? character : '?', offset);
      }
    },
    addPlaceholder: (offset) => {
      for (const character of placeholder) {
        addCharacter(character, offset);
      }
    },
    addSpan: (source, { start, end }) => {
      for (let offset = start; offset < end; offset += 1) {
        addCharacter(source.charAt(offset), offset);
      }
    },
    build: (kind) =>
      /\p{L}{2}/u.test(text.replaceAll(placeholder, '')) ? { kind, text: text.trimEnd(), offsets } : null,
  };
}

/** Where a sentence ends: not behind an abbreviation. */
const sentenceEnd = /(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|no))[.?!]["'”’)]*\s/gu;

/** The sentences of a passage, as passages. */
export function sentencesOf({ kind, text, offsets }: Passage): Passage[] {
  const ends = Array.from(text.matchAll(sentenceEnd), ({ index, 0: { length } }) => index + length);
  return [...ends, text.length]
    .map((end, index) => ({ start: ends[index - 1] ?? 0, end }))
    .map(({ start, end }) => ({
      kind,
      text: text.slice(start, end).trimEnd(),
      offsets: offsets.slice(start, end),
    }))
    .filter((sentence) => sentence.text !== '');
}
