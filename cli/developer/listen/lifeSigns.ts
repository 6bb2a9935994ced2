/** When a connection was looked at, and when it has last shown a sign of life, in milliseconds since 1970. */
export interface LifeSigns {
  readonly lookedAt: number;
  readonly aliveAt: number;
}

export interface LifeLimits {
  /** The interval at which the connection is looked at, in milliseconds. */
  readonly lookEveryMs: number;
  /** The longest silence of a connection that counts as alive, in milliseconds. */
  readonly silenceMs: number;
}

/** The service sends a comment every 15 s, when it polls. A silence of one interval and a half means that one is missing. */
export const lifeLimits: LifeLimits = { lookEveryMs: 1000, silenceMs: 24_000 };

/** The delay of a look that shows that the process did not run. */
const suspendedMs = 5000;

/**
 * Why a connection counts as lost, or null. After a suspension of the machine, a connection may be dead although no
 * error is reported, and timers need not have advanced, so times of the wall clock are compared.
 */
export function lossAt(
  { lookedAt, aliveAt }: LifeSigns,
  now: number,
  { lookEveryMs, silenceMs }: LifeLimits,
): string | null {
  if (Math.abs(now - lookedAt) > lookEveryMs + suspendedMs) {
    return 'this process was suspended';
  }
  return now - aliveAt > silenceMs ? 'the service has sent no heartbeat' : null;
}

export interface LifeWatch {
  /** Notes a sign of life. */
  readonly alive: () => void;
  readonly aliveAt: () => Date;
  readonly stop: () => void;
}

/** Looks at a connection until it counts as lost. */
export function watchLife(limits: LifeLimits, onLost: (reason: string) => void): LifeWatch {
  let lookedAt = Date.now();
  let aliveAt = lookedAt;
  const timer = setInterval(() => {
    const now = Date.now();
    const reason = lossAt({ lookedAt, aliveAt }, now, limits);
    lookedAt = now;
    if (reason !== null) {
      clearInterval(timer);
      onLost(reason);
    }
  }, limits.lookEveryMs);
  return {
    alive: () => {
      aliveAt = Date.now();
    },
    aliveAt: () => new Date(aliveAt),
    stop: () => {
      clearInterval(timer);
    },
  };
}
