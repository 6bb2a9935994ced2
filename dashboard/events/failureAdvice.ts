/** The meaning of a failed delivery for the operator of the receiver, by error code. */
const advice: Readonly<Record<string, string>> = {
  timeout:
    'The receiver should respond before it processes the event. Check whether the receiver is overloaded.',
  connection_refused:
    'No server listens at the address and port of the URL. Check whether the receiver is running.',
  connection_failed:
    'The host of the URL cannot be reached. Check its address and its routes, and whether a firewall ' +
    'blocks the service.',
  connection_reset: 'The receiver or a proxy closed the connection before it sent a complete response.',
  response_invalid:
    'The response was not valid HTTP. Check whether the port of the URL belongs to an HTTP server.',
  response_too_large:
    'The headers of the response were too large. Check which headers the receiver and its proxies add.',
  dns_error: 'The host name in the URL cannot be resolved. Check the host name and its DNS records.',
  tls_error:
    'The TLS connection to the receiver failed. Check whether the receiver’s certificate has ' +
    'expired, has another host name, or has an incomplete chain.',
  address_not_allowed:
    'The URL resolves to a private address. The service sends requests only to public addresses.',
  redirect_not_followed:
    'The receiver responded with a redirect, which the service does not follow. Enter the ' +
    'final URL instead.',
  auth_failed:
    'The token server issued no token, so the receiver got no request. Check the token URL, the client ID and ' +
    'the client secret, and whether the token server is running.',
};

const byStatus: readonly (readonly [test: (status: number) => boolean, text: string])[] = [
  [
    (status) => status === 401 || status === 403,
    'The receiver rejected the request. Check whether the receiver verifies the signature with the ' +
      'right secret.',
  ],
  [(status) => status === 404, 'The receiver has no resource at this path. Check the URL.'],
  [
    (status) => status === 410,
    'The receiver responded with 410 Gone, so the service sends nothing to it until deliveries are enabled again.',
  ],
  [
    (status) => status === 429,
    'The receiver asked for fewer requests. The service retries the delivery later.',
  ],
  [
    (status) => status >= 500,
    'The receiver failed while it processed the request. Check the log of the receiver.',
  ],
  [
    (status) => status >= 400,
    'The receiver rejected the request. The body of the response may contain the reason.',
  ],
];

/**
 * Advice on an error code, or null if there is no advice.
 * @param noun what the page calls a webhook
 */
export function failureAdvice(
  code: string,
  statusCode: number | null,
  noun: 'webhook' | 'endpoint',
): string | null {
  if (code === 'webhook_disabled') {
    return `Enable the ${noun}, then resend the event.`;
  }
  if (code === 'http_status' && statusCode !== null) {
    return byStatus.find(([test]) => test(statusCode))?.[1] ?? null;
  }
  return advice[code] ?? null;
}
