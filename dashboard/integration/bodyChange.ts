import { jsonLines } from '../api/jsonText.js';

/** How a received body differs from the sent body. */
export type BodyChange = 'none' | 'whitespace around' | 'whitespace' | 'stringified' | 'content';

/** The smallest kind of change that explains the difference of two bodies. */
export function bodyChange(received: string, sent: string): BodyChange {
  if (received === sent) {
    return 'none';
  }
  if (received.trim() === sent.trim()) {
    return 'whitespace around';
  }
  if (!isJson(received)) {
    return 'content';
  }
  if (tokensOf(received) === tokensOf(sent)) {
    return 'whitespace';
  }
  return canonicalText(received) === canonicalText(sent) ? 'stringified' : 'content';
}

/** The beginning of the difference of two texts, for a person. */
export function firstDifference(
  received: string,
  sent: string,
): { received: string; sent: string; at: number } {
  let at = 0;
  while (at < sent.length && received[at] === sent[at]) {
    at += 1;
  }
  const from = Math.max(0, at - contextLength);
  const part = (text: string) => text.slice(from, at + contextLength);
  return { received: part(received), sent: part(sent), at };
}

const contextLength = 20;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON without whitespace between its tokens. */
function tokensOf(text: string): string {
  return [...jsonLines(text)]
    .flatMap(({ tokens }) => tokens.map(({ text: token }) => token.trim()))
    .join(' ');
}

/** JSON with sorted names, in which numbers and strings have one form. */
function canonicalText(text: string): string {
  return JSON.stringify(JSON.parse(text), (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
