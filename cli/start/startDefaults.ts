import type { Environment } from '../environment/environment.js';

/**
 * `start` serves this machine alone, without a load balancer, unless its operator says otherwise. A delay would only keep the developer
 * waiting who has pressed Ctrl-C.
 */
const startDefaults = { HOST: '127.0.0.1', POSTRIDER_DRAIN_DELAY: '0s' };

/** Receivers of a developer run on the same machine, without TLS. */
export const developmentDefaults = {
  POSTRIDER_ALLOW_HTTP: 'true',
  POSTRIDER_ALLOW_PRIVATE_ADDRESSES: 'true',
} as const;

/**
 * The settings of `start`: what is given, over its defaults. Configured servers may hold production data, so development defaults
 * apply to the local stack only.
 */
export function withStartDefaults(
  given: Environment,
  servers: 'local stack' | 'configured servers',
): Environment {
  return { ...startDefaults, ...(servers === 'local stack' ? developmentDefaults : {}), ...given };
}
