const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;
const [fewestBytes, mostBytes] = [24, 64];

/** The error of an entered signing secret, by the same rule as the API, or null. An empty text asks for a new secret. */
export function faultOfSecret(text: string): string | null {
  const encoded = text.trim().replace(/^whsec_/u, '');
  if (text.trim() === '') {
    return null;
  }
  const bytes = base64.test(encoded) ? atob(encoded).length : 0;
  return bytes >= fewestBytes && bytes <= mostBytes
    ? null
    : 'Enter whsec_ and base64, or base64 alone, of 24 to 64 bytes.';
}
