import ipaddr from 'ipaddr.js';

/** Bits of an IPv6 address that a client's provider gives it: all that are behind them are its own to choose. */
const networkBits = 64;

/** What an address is counted as: an IPv4 address itself, of an IPv6 address its network. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) {
    return address;
  }
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${String(networkBits)}`).toString()}/${String(networkBits)}`
    : parsed.toString();
}
