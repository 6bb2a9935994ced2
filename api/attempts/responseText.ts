const keptBytes = 4096;

/**
 * The text of a response of which the first 4 KiB are kept. Read as UTF-8, whatever the receiver called it: bytes that are
 * none become U+FFFD, and a character that the cut went through is left out.
 */
export function responseText(kept: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // A decoder that expects more bytes holds the beginning of a character back.
  return decoder.decode(kept, { stream: kept.length >= keptBytes });
}
