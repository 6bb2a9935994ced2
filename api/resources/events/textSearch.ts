const backslash = 0x5c;

/** A backslash with the character or the four digits that it escapes, in a JSON string. */
const escapeSequence = /\\(?:u([0-9a-fA-F]{4})|(.))/gs;

/** The escaped characters whose letter differs from the character. */
const escaped: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The characters with a meaning in a regular expression. */
const syntaxCharacter = /[\\^$.*+?()[\]{}|/]/g;

export interface SearchedEvent {
  readonly id: string;
  /** The JSON text of `data`. */
  readonly data: Buffer;
}

/**
 * Creates the comparison of a search. The comparison finds the text in the id, or in the JSON text of `data`. Escape
 * sequences are decoded first, because clients see the characters. The flags `iu` compare by Unicode simple case folding.
 */
export function createTextSearch(text: string): (event: SearchedEvent) => boolean {
  const pattern = new RegExp(text.replaceAll(syntaxCharacter, String.raw`\$&`), 'iu');
  return ({ id, data }) => pattern.test(id) || pattern.test(shownText(data));
}

function shownText(data: Buffer): string {
  const text = data.toString();
  return data.includes(backslash)
    ? text.replaceAll(escapeSequence, (_, digits: string | undefined, letter: string) =>
        digits === undefined ? (escaped[letter] ?? letter) : String.fromCharCode(Number.parseInt(digits, 16)),
      )
    : text;
}
