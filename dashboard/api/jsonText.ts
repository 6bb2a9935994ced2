/**
 * Functions that read and format JSON as text. Numbers in the text keep every digit. Members keep their order, even if
 * they are repeated.
 */

/** The tokens of JSON: strings, brackets, commas, colons, numbers and words. */
const tokenForm = /"(?:[^"\\]|\\[^])*"|[[\]{},:]|[^\s"[\]{},:]+/g;

/**
 * The unchanged text of a member of a JSON object, or null if the object lacks the member.
 * @param text an object that `JSON.parse` accepts
 */
export function memberText(text: string, name: string): string | null {
  let depth = 0;
  let previous = '';
  let start: number | null = null;
  for (const { 0: token, index } of text.matchAll(tokenForm)) {
    if (start !== null && depth === 1 && endsMember(token)) {
      return text.slice(start, index).trim();
    }
    if (depth === 1 && token === ':' && JSON.parse(previous) === name) {
      start = index + 1;
    }
    depth += depthChange(token);
    previous = token;
  }
  return null;
}

function endsMember(token: string): boolean {
  return token === ',' || token === '}';
}

export type TokenKind = 'name' | 'string' | 'number' | 'word' | 'mark';

export interface JsonToken {
  readonly kind: TokenKind;
  readonly text: string;
}

export interface JsonLine {
  /** The indentation level of the line. */
  readonly depth: number;
  readonly tokens: readonly JsonToken[];
}

/** The formatted lines of JSON text. The formatting changes no character of a token. */
export function* jsonLines(text: string): Generator<JsonLine> {
  const tokens = [...text.matchAll(tokenForm)].map(([token]) => token);
  let depth = 0;
  let line: JsonToken[] = [];
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1] ?? '';
    if (closes(token) && !opens(tokens[at - 1] ?? '')) {
      yield { depth, tokens: line };
      line = [];
      depth -= 1;
    }
    line.push({ kind: kindOf(token, next), text: token === ':' ? ': ' : token });
    if (endsLine(token, next)) {
      yield { depth, tokens: line };
      line = [];
      depth += depthChange(token);
    }
  }
  yield { depth, tokens: line };
}

function endsLine(token: string, next: string): boolean {
  return token === ',' || (opens(token) && !closes(next));
}

function depthChange(token: string): number {
  return Number(opens(token)) - Number(closes(token));
}

function opens(token: string): boolean {
  return token === '{' || token === '[';
}

function closes(token: string): boolean {
  return token === '}' || token === ']';
}

function kindOf(token: string, next: string): TokenKind {
  if (token.startsWith('"')) {
    return next === ':' ? 'name' : 'string';
  }
  if (/^[-\d]/.test(token)) {
    return 'number';
  }
  return /^[a-z]/.test(token) ? 'word' : 'mark';
}

/**
 * The unchanged texts of the elements of a JSON array.
 * @param text an array that `JSON.parse` accepts
 */
export function elementTexts(text: string): readonly string[] {
  const elements: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(tokenForm)) {
    if (depth === 1 && (token === ',' || token === ']')) {
      elements.push(text.slice(start, index).trim());
      start = index + 1;
    }
    depth += depthChange(token);
    start = depth === 1 && elements.length === 0 && start === 0 ? index + 1 : start;
  }
  return elements.filter((element) => element !== '');
}
