/** What a failed delivery means for who runs the receiver, by the code of its error. */
const advice: Readonly<Record<string, string>> = {
  timeout:
    'The receiver did not answer in time. Answer first, then do the work; and look whether it is overloaded.',
  connection_refused: 'Nothing listens at this address and port. Is the receiver running?',
  connection_reset: 'The receiver, or something before it, closed the connection before it answered.',
  dns_error: 'The host name of the URL could not be found. Check the name and its DNS records.',
  tls_error:
    'No secure connection could be made. Look at the certificate: expired, for another name, or its chain incomplete.',
  address_not_allowed: 'The URL leads to an address that is not public, and those are not allowed here.',
  redirect_not_followed:
    'The receiver answered with a redirect, which is not followed. Put the final URL into the webhook.',
  webhook_deleted: 'The webhook was deleted before the event could be delivered.',
  webhook_disabled:
    'The webhook was disabled before the event could be delivered. Enable it, then send the event again.',
  event_expired: 'The event is no longer kept, so it cannot be delivered.',
};

const byStatus: readonly (readonly [test: (status: number) => boolean, text: string])[] = [
  [
    (status) => status === 401 || status === 403,
    'The receiver did not accept the request. Does it check the signature with the right secret?',
  ],
  [(status) => status === 404, 'The receiver knows nothing at this path. Check the URL of the webhook.'],
  [(status) => status === 410, 'The receiver said that it is gone for good, so the webhook was disabled.'],
  [(status) => status === 429, 'The receiver asked for fewer requests. It is tried again later.'],
  [(status) => status >= 500, 'The receiver failed while it handled the request. Its own log says why.'],
  [(status) => status >= 400, 'The receiver refused the request. Its answer may say why.'],
];

/** A sentence that helps, or null where there is nothing to add. */
export function failureAdvice(code: string, statusCode: number | null): string | null {
  if (code === 'http_status' && statusCode !== null) {
    return byStatus.find(([test]) => test(statusCode))?.[1] ?? null;
  }
  return advice[code] ?? null;
}
