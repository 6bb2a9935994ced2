/**
 * The seconds that a response asks the client to wait (`Retry-After`, RFC 9110 section 10.2.3), or null. A date is
 * compared with the clock of the server, because the clock of the client may differ.
 */
export function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(text)) {
    return Number(text);
  }
  const sent = Date.parse(headers.get('date') ?? '');
  const seconds = (Date.parse(text) - (Number.isNaN(sent) ? Date.now() : sent)) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
