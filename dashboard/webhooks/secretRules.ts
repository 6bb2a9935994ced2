const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;
const [fewestBytes, mostBytes] = [24, 64];

/** The key of an entered signing secret, by the same rule as the API, or null for another text. */
export function keyOfSecret(text: string): Uint8Array<ArrayBuffer> | null {
  const encoded = text.trim().replace(/^whsec_/u, '');
  const bytes = base64.test(encoded) ? atob(encoded) : '';
  return bytes.length >= fewestBytes && bytes.length <= mostBytes
    ? Uint8Array.from(bytes, (character) => character.charCodeAt(0))
    : null;
}

/** The error of an entered signing secret, or null. */
export function faultOfSecret(text: string): string | null {
  return keyOfSecret(text) === null ? 'Enter whsec_ and base64, or base64 alone, of 24 to 64 bytes.' : null;
}

/** The error of a signing secret that may be left out, or null. An empty text asks for a new secret. */
export function faultOfImportedSecret(text: string): string | null {
  return text.trim() === '' ? null : faultOfSecret(text);
}
