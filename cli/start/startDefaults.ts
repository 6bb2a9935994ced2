import type { Environment } from '../environment/environment.js';

/**
 * Defaults of `start`, which serves one machine without a load balancer unless the operator configures otherwise. A
 * drain delay would only delay Ctrl-C.
 */
const startDefaults = { HOST: '127.0.0.1', POSTRIDER_DRAIN_DELAY: '0s' };

/** Default settings for development. A developer's receivers run on the same machine, without TLS. */
export const developmentDefaults = {
  POSTRIDER_ALLOW_HTTP: 'true',
  POSTRIDER_ALLOW_PRIVATE_ADDRESSES: 'true',
} as const;

/**
 * The settings of `start`: the given settings, merged over the defaults. Configured servers may hold production data,
 * so the development defaults apply to the local stack only.
 */
export function withStartDefaults(
  given: Environment,
  servers: 'local stack' | 'configured servers',
): Environment {
  return { ...startDefaults, ...(servers === 'local stack' ? developmentDefaults : {}), ...given };
}

/** The account that the first start creates for trying the service. */
export const demoAccount = {
  name: 'Demo',
  email: 'demo@localhost',
  plan: 'enterprise',
  requestsPerSecond: 100_000,
} as const;
