import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';

import { isPublicAddress } from '../../shared/domain/webhooks/address.js';

/** Codes of this guard's own errors, beside those of Node. */
export const addressNotAllowed = 'ERR_ADDRESS_NOT_ALLOWED';
export const nameNotResolved = 'ERR_NAME_NOT_RESOLVED';

/** All IP addresses of a host name; rejects where there are none. */
type ResolveAddresses = (hostName: string) => Promise<readonly string[]>;

export interface NameResolver {
  readonly resolve: ResolveAddresses;
  /** Ends the queries that are under way. */
  close: () => void;
}

/**
 * Asks the name servers directly. `getaddrinfo` would do so on the four threads that the whole process shares, where four
 * names whose servers stay silent hold back every other webhook. What it would find beside the DNS (/etc/hosts, local
 * search domains) are names of private hosts.
 * @param nameServers `address:port`; those of the system where not given
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

/** Asks the system, which also knows localhost, /etc/hosts and the names of containers. For development. */
export function createSystemResolver(): NameResolver {
  return {
    resolve: async (hostName) => {
      const addresses = await systemLookup(hostName, { all: true });
      return addresses.map(({ address }) => address);
    },
    // A look-up of the system cannot be ended.
    close: () => undefined,
  };
}

/**
 * A `lookup` for the agents of node:http and node:https. Node connects to nothing but what it returns, so the address
 * that was checked is the address that is connected to, whatever a name server says the next time (DNS rebinding).
 * Literal addresses never come here: `literalAddressError` checks them.
 */
export function createGuardedLookup(
  resolve: ResolveAddresses,
  allowPrivateAddresses: boolean,
): LookupFunction {
  const permitted = async (hostName: string): Promise<string[]> => {
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
  return (hostName, options, callback) => {
    permitted(hostName).then(
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
