/** Bytes for a terminal or JSON: as text where they are some, in hexadecimal digits otherwise. */
export interface ShownBytes {
  readonly encoding: 'text' | 'hex';
  readonly text: string;
}

/** Whoever writes to a topic could write to the terminal of who looks at it: only lines and tabs pass for text. */
const unprintable = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function bytesOf(bytes: Buffer): ShownBytes {
  const text = textOf(bytes);
  return text === null || unprintable.test(text.replaceAll(/[\t\n\r]/g, ''))
    ? { encoding: 'hex', text: bytes.toString('hex') }
    : { encoding: 'text', text };
}

/** A text of others on one line: what could steer a terminal stands there as a question mark. */
export function onOneLine(text: string): string {
  return text.replaceAll(new RegExp(unprintable, 'gu'), '?');
}

function textOf(bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
