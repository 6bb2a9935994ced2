import ipaddr from 'ipaddr.js';

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const ipv4Mapped = ipaddr.IPv6.parseCIDR('::ffff:0:0/96');
const ipv4Compatible = ipaddr.IPv6.parseCIDR('::/96');
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
const sixToFour = ipaddr.IPv6.parseCIDR('2002::/16');
const teredo = ipaddr.IPv6.parseCIDR('2001::/32');

/** Azure's wire server. It serves the metadata of the machine at an address that no registry lists as special. */
const azureWireServer = '168.63.129.16';

/** The only form of an IPv4 address that all parsers read in the same way. */
const fourDecimalParts = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/;

/**
 * Whether an IP address is public. An address in the IANA special-purpose registries is not public: private, loopback,
 * link-local (with the metadata of clouds), multicast or reserved. The same applies to an IPv4 address within an IPv6
 * address. A text that is not an IP address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (fourDecimalParts.test(address)) {
    return ipaddr.IPv4.isValid(address) && isPublicIPv4(ipaddr.IPv4.parse(address));
  }
  return ipaddr.IPv6.isValid(address) && isPublicIPv6(ipaddr.IPv6.parse(address));
}

/** A name that resolvers accept (RFC 1123 section 2.1, and the underscore), or an IPv6 address. */
const hostName = /^(?:[\w.-]+|\[[\da-f:]+\])$/;

/**
 * Whether all parsers find the same host in a URL of the web. The URL parser allows characters such as `'` and
 * `;` in a host, at which other parsers end it. They would call an unchecked address.
 */
export function hasHostName(url: URL): boolean {
  return hostName.test(url.hostname);
}

/**
 * Why a URL of the web must not be called, if its host is an address or a name of this machine. Null if it is allowed,
 * or if only DNS can decide. The URL parser has already converted all forms of an IPv4 address into four decimal
 * numbers. Such forms are octal and hexadecimal numbers, fewer numbers, full-width digits and a trailing dot.
 */
export function literalAddressError(url: URL): string | null {
  const host = url.hostname.replace(/\.$/, '');
  // RFC 6761 section 6.3: these names always mean this machine, and must not be resolved by DNS.
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
 * Only 2000::/3 contains global unicast addresses. Overlay networks use the rest. It excludes 64:ff9b:1::/48 (RFC 8215)
 * too, because each operator chooses the position of its IPv4 address.
 */
function isPublicIPv6(address: ipaddr.IPv6): boolean {
  const embedded = embeddedIPv4(address);
  return embedded.length > 0
    ? embedded.every(isPublicIPv4)
    : address.match(globalUnicast) && address.range() === 'unicast';
}

/** The IPv4 addresses to which a gateway or the system would forward packets for this IPv6 address. */
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
  // RFC 4380 section 4: the server's address, and the client's address with inverted bits.
  return address.match(teredo) ? [at(4), at(12, 0xff)] : [];
}
