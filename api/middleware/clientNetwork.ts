import ipaddr from 'ipaddr.js';

import type { ClientTrace } from '../../shared/domain/core/fact.js';
import type { ApiContext } from '../http/context.js';

/** The prefix length of the network of one IPv6 client. The client chooses all other bits of its address. */
const clientPrefixBits = 64;
const unknownNetwork = 'unknown';

/**
 * The forms of an address with a port or brackets: `[2001:db8::1]:443`, `[2001:db8::1]` and `192.0.2.1:443`. Some
 * proxies add the port in `X-Forwarded-For`.
 */
const bracketed = /^\[([^\]]*)\](?::\d+)?$/;
const withPort = /^([^:]+):\d+$/;

/**
 * The client's network of a request, for limits.
 *
 * A proxy can write an `X-Forwarded-For` entry without an address. A client can write an entry only if
 * `POSTRIDER_TRUSTED_PROXIES` is too high. An entry without an address is replaced by the address of the connection, so
 * that forged entries do not create networks.
 */
export function networkOfRequest({ ip, req }: Pick<ApiContext, 'ip' | 'req'>): string {
  return networkOf(ip) ?? networkOf(req.socket.remoteAddress ?? '') ?? unknownNetwork;
}

/**
 * The network of an address: an IPv4 address itself, the /64 network of an IPv6 address, or null if the text is not an
 * address.
 */
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

/** The address in a text, without brackets, port and zone. */
function addressIn(text: string): string {
  const host = bracketed.exec(text)?.[1] ?? withPort.exec(text)?.[1] ?? text;
  return host.split('%')[0] ?? '';
}

/** The longest `User-Agent` in a record. The limit exceeds the `User-Agent` of any browser. */
const longestUserAgent = 256;

/** The network and the browser of a request's client. */
export function clientTraceOf(context: Pick<ApiContext, 'ip' | 'req'>): ClientTrace {
  const userAgent = context.req.headers['user-agent']?.trim() ?? '';
  return {
    network: networkOfRequest(context),
    userAgent: userAgent === '' ? null : userAgent.slice(0, longestUserAgent),
  };
}
