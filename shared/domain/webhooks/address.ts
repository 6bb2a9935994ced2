import ipaddr from 'ipaddr.js';

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const ipv4Mapped = ipaddr.IPv6.parseCIDR('::ffff:0:0/96');
const ipv4Compatible = ipaddr.IPv6.parseCIDR('::/96');
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
const sixToFour = ipaddr.IPv6.parseCIDR('2002::/16');
const teredo = ipaddr.IPv6.parseCIDR('2001::/32');

/**
 * The address of Azure's wire server, which serves the metadata of the machine. No IANA registry lists the address as
 * special.
 */
const azureWireServer = '168.63.129.16';

/** Four decimal numbers, the only form of an IPv4 address that all parsers read in the same way. */
const fourDecimalParts = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/;

/**
 * Whether an IP address is public. An address in the IANA special-purpose registries is not public: private, loopback,
 * link-local (with the metadata of clouds), multicast or reserved. An IPv6 address that contains a non-public IPv4
 * address is not public. Text that is not an IP address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (fourDecimalParts.test(address)) {
    return ipaddr.IPv4.isValid(address) && isPublicIPv4(ipaddr.IPv4.parse(address));
  }
  return ipaddr.IPv6.isValid(address) && isPublicIPv6(ipaddr.IPv6.parse(address));
}

/** The pattern of a host that DNS resolvers accept (RFC 1123 section 2.1, with underscores), or of an IPv6 address. */
const hostName = /^(?:[\w.-]+|\[[\da-f:]+\])$/;

/**
 * Whether all URL parsers find the same host in an HTTP URL. Node's URL parser allows `'` and `;` in a host, but other
 * parsers end the host at these characters and would call an unchecked address.
 */
export function hasHostName(url: URL): boolean {
  return hostName.test(url.hostname);
}

/**
 * The error for an HTTP URL whose host is a non-public address or `localhost`. The result is null if the host is
 * allowed, or if only DNS can show its address. Node's URL parser converts every form of an IPv4 address into four
 * decimal numbers. Other forms have octal or hexadecimal numbers, fewer numbers, full-width digits or a trailing dot.
 */
export function literalAddressError(url: URL): string | null {
  const host = url.hostname.replace(/\.$/, '');
  // `localhost` and its subdomains always mean this machine, and must not be resolved by DNS (RFC 6761 section 6.3).
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
 * Whether an IPv6 address is public. Only 2000::/3 contains global unicast addresses. 64:ff9b:1::/48 (RFC 8215) is
 * outside of 2000::/3, so it is not public, and its embedded IPv4 address need not be found.
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
  // A Teredo address contains the server's IPv4 address, and the client's IPv4 address with inverted bits (RFC 4380
  // section 4).
  return address.match(teredo) ? [at(4), at(12, 0xff)] : [];
}
