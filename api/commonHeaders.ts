/** One year, in seconds. */
const secureTransport = 'max-age=31536000';

/**
 * The headers of every answer:
 * - no cache stores the data of an account,
 * - a browser goes by the content type alone, and hands no answer to a page of another origin,
 * - a browser uses https only, if that is the public address (RFC 6797).
 */
export function commonHeadersOf(publicUrl: string): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(new URL(publicUrl).protocol === 'https:' ? { 'Strict-Transport-Security': secureTransport } : {}),
  };
}
