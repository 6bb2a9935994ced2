/** A text without its escape sequences. */
export interface Unescaped {
  /** Each character stands for one byte. */
  readonly text: string;
  /** For each character, and for the end: the position in the text with escape sequences where it begins. */
  readonly positions: Uint32Array;
}

const backslash = '\\'.charCodeAt(0);
const shortSequences: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
/** One character beyond the basic plane by two sequences, or another character by one. */
const longSequence = /\\u(?:([Dd][89ABab][\dA-Fa-f]{2})\\u([Dd][C-Fc-f][\dA-Fa-f]{2})|([\dA-Fa-f]{4}))/uy;
const longestSequence = 12;
/** The beginning of the sequences of one character, at the end of a text. */
const cutSequence = /(?:\\u[Dd][89ABab][\dA-Fa-f]{2})?(?:\\(?:u[\dA-Fa-f]{0,3})?)?$/uy;

/**
 * Replaces the escape sequences of JSON strings (RFC 8259 section 7) by the UTF-8 of what they stand for. A sequence that
 * is cut off at the end of the text is left out.
 * @param text each character stands for one byte
 */
export function withoutEscapes(text: string): Unescaped {
  // No sequence is shorter than the UTF-8 of its character.
  const bytes = Buffer.allocUnsafe(text.length);
  const positions = new Uint32Array(text.length + 1);
  let length = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const sequence = code === backslash ? sequenceAt(text, at) : null;
    if (sequence === null) {
      bytes[length] = code;
      positions[length] = at;
      length += 1;
      at += 1;
    } else {
      const written = bytes.write(sequence.character, length);
      positions.fill(at, length, length + written);
      length += written;
      at += sequence.length;
    }
  }
  positions[length] = text.length;
  return { text: bytes.toString('latin1', 0, length), positions: positions.subarray(0, length + 1) };
}

interface Sequence {
  readonly character: string;
  /** The length of the sequence. */
  readonly length: number;
}

/** The escape sequence at a backslash; null if the backslash begins none. */
function sequenceAt(text: string, at: number): Sequence | null {
  const short = shortSequences.get(text.charAt(at + 1));
  if (short !== undefined) {
    return { character: short, length: 2 };
  }
  if (text.length - at < longestSequence) {
    cutSequence.lastIndex = at;
    if (cutSequence.test(text)) {
      return { character: '', length: text.length - at };
    }
  }
  longSequence.lastIndex = at;
  const [sequence, high, low, single] = longSequence.exec(text) ?? [];
  if (sequence === undefined) {
    return null;
  }
  const units = [high, low, single].flatMap((unit) =>
    unit === undefined ? [] : [Number.parseInt(unit, 16)],
  );
  return { character: String.fromCharCode(...units), length: sequence.length };
}
