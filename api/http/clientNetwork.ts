import ipaddr from 'ipaddr.js';
import type { ApiContext } from './context.js';
import type { ClientTrace } from '../../shared/domain/core/fact.js';

/** Prefix length of the networks that providers assign to one IPv6 client: the client chooses all other bits. */
const clientPrefixBits = 64;
const unknownNetwork = 'unknown';

/** `[2001:db8::1]:443`, `[2001:db8::1]` and `192.0.2.1:443`: some proxies write the port into `X-Forwarded-For`. */
const bracketed = /^\[([^\]]*)\](?::\d+)?$/;
const withPort = /^([^:]+):\d+$/;

/**
 * The network that a request is counted under.
 *
 * An entry of `X-Forwarded-For` that is not an address comes from a proxy, or from a client if `POSTRIDER_TRUSTED_PROXIES` is too
 * high. The address of the connection then counts, so that made-up entries do not make networks.
 */
export function networkOfRequest({ ip, req }: Pick<ApiContext, 'ip' | 'req'>): string {
  return networkOf(ip) ?? networkOf(req.socket.remoteAddress ?? '') ?? unknownNetwork;
}

/** An IPv4 address itself, and the /64 network of an IPv6 address. Null if the text is not an address. */
export function networkOf(text: string): string | null {
  const address = addressIn(text);
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) {
    return null;
  }
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) {
    return parsed.toString();
  }
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${String(clientPrefixBits)}`);
  return `${network.toString()}/${String(clientPrefixBits)}`;
}

/** The address without brackets, port and zone. */
function addressIn(text: string): string {
  const host = bracketed.exec(text)?.[1] ?? withPort.exec(text)?.[1] ?? text;
  return host.split('%')[0] ?? '';
}

/** Longer than the header of any browser. */
const longestUserAgent = 256;

/** Where a request comes from. */
export function clientTraceOf(context: Pick<ApiContext, 'ip' | 'req'>): ClientTrace {
  const userAgent = context.req.headers['user-agent']?.trim() ?? '';
  return {
    network: networkOfRequest(context),
    userAgent: userAgent === '' ? null : userAgent.slice(0, longestUserAgent),
  };
}
