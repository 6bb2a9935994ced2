/** Bytes for a terminal or JSON. Valid text is printed as text, and other bytes in hexadecimal digits. */
export interface PrintableBytes {
  readonly encoding: 'text' | 'hex';
  readonly text: string;
}

/**
 * Characters that are not printed as text. Control characters of a record could manipulate the terminal of its reader.
 * Of the control characters, only line breaks and tabs count as text.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function bytesOf(bytes: Buffer): PrintableBytes {
  const text = textOf(bytes);
  return text === null || unprintable.test(text.replaceAll(/[\t\n\r]/g, ''))
    ? { encoding: 'hex', text: bytes.toString('hex') }
    : { encoding: 'text', text };
}

/**
 * Text of a client or receiver, on one line. Control characters are replaced by question marks, because they could
 * manipulate the terminal.
 */
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
