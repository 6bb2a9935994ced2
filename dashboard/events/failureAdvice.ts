/** The meaning of a failed delivery for the operator of the receiver, by error code. */
const advice: Readonly<Record<string, string>> = {
  timeout:
    'The receiver did not answer in time. Answer first and process the event afterwards. Check ' +
    'whether the receiver is overloaded.',
  connection_refused:
    'No server is listening at this address and port. Check whether the receiver is running.',
  connection_reset: 'The receiver or a proxy closed the connection before it answered.',
  dns_error: 'The host name in the URL cannot be resolved. Check the name and its DNS records.',
  tls_error:
    'The TLS connection failed. Check whether the certificate has expired, has another name, or has ' +
    'an incomplete chain.',
  address_not_allowed: 'The URL resolves to a private address, and this service allows only public ones.',
  redirect_not_followed:
    'The receiver answered with a redirect. Redirects are not followed. Enter the final URL in the ' +
    'webhook.',
  webhook_deleted: 'The webhook was deleted before the event could be delivered.',
  webhook_disabled:
    'The webhook was disabled before the event could be delivered. Enable the webhook, then resend ' +
    'the event.',
  event_expired: 'The event has expired, so it cannot be delivered.',
};

const byStatus: readonly (readonly [test: (status: number) => boolean, text: string])[] = [
  [
    (status) => status === 401 || status === 403,
    'The receiver rejected the request. Check whether it verifies the signature with the right secret.',
  ],
  [(status) => status === 404, 'The receiver has no resource at this path. Check the URL of the webhook.'],
  [
    (status) => status === 410,
    'The receiver answered that it is permanently gone, so the webhook was disabled.',
  ],
  [(status) => status === 429, 'The receiver asked for fewer requests. The delivery is retried later.'],
  [
    (status) => status >= 500,
    'The receiver failed while it processed the request. Check the log of the receiver.',
  ],
  [(status) => status >= 400, 'The receiver rejected the request. Its answer may contain the reason.'],
];

/** Advice on an error code; null if there is nothing to add. */
export function failureAdvice(code: string, statusCode: number | null): string | null {
  if (code === 'http_status' && statusCode !== null) {
    return byStatus.find(([test]) => test(statusCode))?.[1] ?? null;
  }
  return advice[code] ?? null;
}
