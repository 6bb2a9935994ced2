import { createRequire } from 'node:module';

import { untilBeat } from '../beats.js';

/** The parts of the driver's pool of connections that the patch looks at. */
interface ConnectionPool {
  /** Drops connections that are closed, opens missing ones, and begins the timer of the next time. */
  readonly ensureMinPoolSize: () => void;
  /** Not there while a connection is being opened, and once the pool is closed. */
  minPoolSizeTimer?: NodeJS.Timeout;
}

interface PoolModule {
  readonly ConnectionPool: { readonly prototype: { ensureMinPoolSize: (this: ConnectionPool) => void } };
}

const patched = new WeakSet<PoolModule>();
const checkMs = 1000;

/**
 * Has the driver (mongodb 7.8) look once a second, and not ten times, whether its pool has the connections that it must have at
 * least. The driver has a setting for it that it does not take from its users. Connections are opened when they are asked
 * for, whenever that is. A pool that is closed keeps its timer, so that holds up no process that ends.
 */
export function slowPoolTimers(): void {
  const pools = createRequire(import.meta.url)('mongodb/lib/cmap/connection_pool.js') as PoolModule;
  if (patched.has(pools)) {
    return;
  }
  patched.add(pools);
  const { prototype } = pools.ConnectionPool;
  const ensure = prototype.ensureMinPoolSize;
  prototype.ensureMinPoolSize = function ensureEachSecond() {
    const previous = this.minPoolSizeTimer;
    ensure.call(this);
    if (this.minPoolSizeTimer !== undefined && this.minPoolSizeTimer !== previous) {
      clearTimeout(this.minPoolSizeTimer);
      this.minPoolSizeTimer = setTimeout(() => {
        this.ensureMinPoolSize();
      }, untilBeat(checkMs)).unref();
    }
  };
}
