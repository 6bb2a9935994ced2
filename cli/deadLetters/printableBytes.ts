/** Bytes for a terminal or JSON: as text if they are valid text, otherwise in hexadecimal digits. */
export interface PrintableBytes {
  readonly encoding: 'text' | 'hex';
  readonly text: string;
}

/**
 * Control characters of a record could manipulate the terminal of its reader. Only line breaks and tabs count as text.
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
 * Foreign text on one line. Control characters are replaced by question marks, because they could manipulate the
 * terminal.
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
