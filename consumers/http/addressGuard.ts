import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';

import { isPublicAddress } from '../../shared/domain/webhooks/address.js';

/** The error codes of the address guard, in addition to the codes of Node. */
export const addressNotAllowed = 'ERR_ADDRESS_NOT_ALLOWED';
export const nameNotResolved = 'ERR_NAME_NOT_RESOLVED';

/** All IP addresses of a host name. The promise may reject if the host name has no address. */
type ResolveAddresses = (hostName: string) => Promise<readonly string[]>;

export interface NameResolver {
  readonly resolve: ResolveAddresses;
  /** Cancels the queries in flight. */
  readonly close: () => void;
}

/**
 * A resolver that queries the name servers directly. `getaddrinfo` uses the four threads that the whole process shares,
 * so four host names with silent name servers would block every other webhook. `getaddrinfo` also reads /etc/hosts and
 * local search domains, which contain names of private hosts.
 * @param nameServers the `address:port` of each name server; by default the name servers of the system
 */
export function createDnsResolver(nameServers?: readonly string[]): NameResolver {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (nameServers !== undefined) {
    resolver.setServers(nameServers);
  }
  return {
    resolve: async (hostName) => {
      const answers = await Promise.allSettled([resolver.resolve4(hostName), resolver.resolve6(hostName)]);
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    },
    close: () => {
      resolver.cancel();
    },
  };
}

/**
 * The resolver for development. The operating system also resolves localhost, /etc/hosts and the names of containers.
 */
export function createSystemResolver(): NameResolver {
  return {
    resolve: async (hostName) => {
      const addresses = await systemLookup(hostName, { all: true });
      return addresses.map(({ address }) => address);
    },
    // A system look-up cannot be canceled.
    close: () => undefined,
  };
}

/**
 * The IP addresses of a host name that the service may connect to.
 * @throws Error with the code `nameNotResolved` or `addressNotAllowed`
 */
export type PermittedAddresses = (hostName: string) => Promise<readonly string[]>;

export function createPermittedAddresses(
  resolve: ResolveAddresses,
  allowPrivateAddresses: boolean,
): PermittedAddresses {
  return async (hostName) => {
    const addresses = await resolve(hostName).catch(() => []);
    if (addresses.length === 0) {
      throw withCode('the host name could not be resolved', nameNotResolved);
    }
    const allowed = addresses.filter((address) => allowPrivateAddresses || isPublicAddress(address));
    if (allowed.length === 0) {
      throw withCode('the host name has no public address', addressNotAllowed);
    }
    return allowed;
  };
}

/**
 * A `lookup` for the agents of node:http and node:https. Node connects only to the addresses that `lookup` returns. So
 * a DNS answer that changes after the check has no effect (DNS rebinding). Node does not call `lookup` for literal
 * addresses, which `literalAddressError` checks.
 */
export function createGuardedLookup(permittedAddresses: PermittedAddresses): LookupFunction {
  return (hostName, options, callback) => {
    permittedAddresses(hostName).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all === true) {
          callback(null, found);
        } else {
          callback(null, found[0]?.address ?? '', found[0]?.family);
        }
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(String(error)), []);
      },
    );
  };
}

function withCode(message: string, code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code });
}
