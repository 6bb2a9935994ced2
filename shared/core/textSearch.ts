/** The length up to which the built-in search is fast for any text. Its time is the product of both lengths. */
const shortPattern = 8;

/** Searches one text in others. The search takes linear time for any text. */
export type TextSearch = (text: string) => boolean;

/**
 * The search of Knuth, Morris and Pratt. The built-in search takes quadratic time for texts such as `aaa…` with the
 * pattern `aaa…b`.
 */
export function createTextSearch(pattern: string): TextSearch {
  if (pattern.length <= shortPattern) {
    return (text) => text.includes(pattern);
  }
  const searched = searchPattern(pattern);
  return (text) => {
    let matched = 0;
    for (let at = 0; at < text.length && matched < pattern.length; at += 1) {
      matched = extended(searched, matched, text.charCodeAt(at));
    }
    return matched === pattern.length;
  };
}

/** A pattern of the search of Knuth, Morris and Pratt, which takes linear time for any text. */
export interface SearchPattern {
  readonly text: string;
  /** For the length of each prefix, the length of its longest proper prefix that is its suffix too. */
  readonly borders: Int32Array;
}

export function searchPattern(text: string): SearchPattern {
  const pattern = { text, borders: new Int32Array(text.length + 1) };
  let border = 0;
  for (let at = 1; at < text.length; at += 1) {
    border = extended(pattern, border, text.charCodeAt(at));
    pattern.borders[at + 1] = border;
  }
  return pattern;
}

/**
 * The number of matched characters of the pattern after one more character of the searched text.
 * @param code the code of that character
 */
export function extended({ text, borders }: SearchPattern, before: number, code: number): number {
  let matched = before;
  while (matched > 0 && text.charCodeAt(matched) !== code) {
    matched = borders[matched] ?? 0;
  }
  return text.charCodeAt(matched) === code ? matched + 1 : 0;
}
