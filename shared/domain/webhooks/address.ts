import ipaddr from 'ipaddr.js';

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const ipv4Mapped = ipaddr.IPv6.parseCIDR('::ffff:0:0/96');
const ipv4Compatible = ipaddr.IPv6.parseCIDR('::/96');
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
const sixToFour = ipaddr.IPv6.parseCIDR('2002::/16');
const teredo = ipaddr.IPv6.parseCIDR('2001::/32');

/** Azure's wire server: metadata of the machine, answered on an address that no registry lists as special. */
const azureWireServer = '168.63.129.16';

/** The only way to write an IPv4 address that every reader understands in the same way. */
const fourDecimalParts = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/;

/**
 * Whether anyone on the internet may be reached at this IP address: neither private, loopback, link-local (where clouds
 * keep their metadata), multicast nor reserved in the IANA special-purpose registries, also not as an IPv4 address
 * within an IPv6 one. What is no IP address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (fourDecimalParts.test(address)) {
    return ipaddr.IPv4.isValid(address) && isPublicIPv4(ipaddr.IPv4.parse(address));
  }
  return ipaddr.IPv6.isValid(address) && isPublicIPv6(ipaddr.IPv6.parse(address));
}

/** A name as resolvers take it (RFC 1123 section 2.1, and the underscore), or an IPv6 address. */
const hostName = /^(?:[\w.-]+|\[[\da-f:]+\])$/;

/**
 * Whether every reader of an http: or https: URL takes the same part of it for its host. The URL parser lets a host have
 * characters such as `'` and `;`, with which it ends for others: they would call an address that nobody has checked.
 */
export function hasHostName(url: URL): boolean {
  return hostName.test(url.hostname);
}

/**
 * Why an http: or https: URL may not be called where its host is an address or a name of this machine; null where it may,
 * or where only the resolution of the name will tell. The URL parser has already turned every way to write an IPv4 address
 * (decimal, octal, hexadecimal, shortened, full-width digits, a trailing dot) into four decimal parts.
 */
export function literalAddressError(url: URL): string | null {
  const host = url.hostname.replace(/\.$/, '');
  // RFC 6761 section 6.3: these names always mean this machine, and are not to be looked up in the DNS.
  if (host === 'localhost' || host.endsWith('.localhost')) {
    return `${host} is this machine, not a public address`;
  }
  const literal = host.startsWith('[') ? host.slice(1, -1) : host;
  const isLiteral = literal !== host || fourDecimalParts.test(host);
  return isLiteral && !isPublicAddress(literal) ? `${literal} is not a public address` : null;
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && address.toString() !== azureWireServer;
}

/**
 * Only 2000::/3 is handed out as global unicast; overlay networks live in the rest. 64:ff9b:1::/48 (RFC 8215) is refused
 * with it: where it holds its IPv4 address is each operator's own choice.
 */
function isPublicIPv6(address: ipaddr.IPv6): boolean {
  const embedded = embeddedIPv4(address);
  return embedded.length > 0
    ? embedded.every(isPublicIPv4)
    : address.match(globalUnicast) && address.range() === 'unicast';
}

/** The IPv4 addresses to which a gateway or the system itself would pass on what is sent to this IPv6 address. */
function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  const at = (start: number, mask = 0): ipaddr.IPv4 =>
    new ipaddr.IPv4(bytes.slice(start, start + 4).map((byte) => byte ^ mask));
  if ([ipv4Mapped, ipv4Compatible, nat64].some((prefix) => address.match(prefix))) {
    return [at(12)];
  }
  if (address.match(sixToFour)) {
    return [at(2)];
  }
  // RFC 4380 section 4: the server's address, and the client's with every bit inverted.
  return address.match(teredo) ? [at(4), at(12, 0xff)] : [];
}
