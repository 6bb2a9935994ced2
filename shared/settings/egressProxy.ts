import { z } from 'zod';

/** The HTTP proxy through which all requests to webhooks leave. An IPv6 address has no brackets. */
export interface ProxyAddress {
  readonly host: string;
  readonly port: number;
  /** The value of the header `Proxy-Authorization`, or null if the proxy needs no password. */
  readonly authorization: string | null;
}

const allowed = 'http://host:port or http://user:password@host:port, with "%" escapes in user and password';
const defaultPort = 80;

/** The setting of the egress proxy. The error states the allowed values, and never the password. */
export const egressProxySetting = z.string().transform((text, context): ProxyAddress => {
  const address = proxyAddressOf(text);
  if (address === null) {
    context.addIssue(allowed);
    return z.NEVER;
  }
  return address;
});

function proxyAddressOf(text: string): ProxyAddress | null {
  if (!URL.canParse(text)) {
    return null;
  }
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if (protocol !== 'http:' || `${pathname}${search}${hash}` !== '/') {
    return null;
  }
  const credentials = credentialsOf(username, password);
  return credentials === null
    ? null
    : {
        host: hostname.replace(/^\[|\]$/g, ''),
        port: port === '' ? defaultPort : Number(port),
        authorization:
          credentials === ':' ? null : `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`,
      };
}

/** The user and the password as RFC 7617 joins them, or null if they contain invalid escapes. */
function credentialsOf(user: string, password: string): string | null {
  try {
    return `${decodeURIComponent(user)}:${decodeURIComponent(password)}`;
  } catch {
    return null;
  }
}
