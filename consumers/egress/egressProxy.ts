import type { Duplex } from 'node:stream';

import { createAbortCallbacks } from '../../shared/concurrency/abortCallbacks.js';
import { singleFlight } from '../../shared/concurrency/singleFlight.js';
import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import type { ReadinessCheck } from '../../shared/runtime/readiness.js';
import type { ProxyAddress } from '../../shared/settings/egressProxy.js';
import { openTunnel, proxyFault, TunnelError, type OpeningTunnel, type TunnelTarget } from './tunnel.js';

/** The proxy through which all requests to webhooks leave, and whether it works. */
export interface EgressProxy {
  /**
   * Opens a tunnel to a receiver.
   * @param timeoutMs the time after which the tunnel is given up, in milliseconds
   * @throws TunnelError with the code `proxyFault` if the proxy is at fault
   */
  readonly open: (target: TunnelTarget, timeoutMs: number) => Promise<Duplex>;
  /** Resolves when the proxy works, as far as this process knows, or when the signal is aborted. */
  readonly whenUp: (signal: AbortSignal) => Promise<void>;
  /**
   * Whether the proxy may have lost an attempt without a response: it does not respond now, or was found at fault since
   * the attempt began.
   * @param since the begin of the attempt, by `performance.now()`
   */
  readonly mayHaveLost: (since: number) => Promise<boolean>;
  readonly check: ReadinessCheck;
  /** Gives up tunnels that are not open yet, and ends the look for a proxy that works again. */
  readonly close: () => void;
}

/** A target that exists nowhere but at the proxy itself, so that the look reaches no other host. */
const probeTarget: TunnelTarget = { host: 'localhost', port: 1 };
const probeTimeoutMs = 1000;
const defaultProbePauseMs = 1000;

interface Watching {
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  /** The pause between two looks at a proxy at fault, in milliseconds; a second by default. */
  readonly probePauseMs?: number;
}

/**
 * Watches an egress proxy. After a fault, attempts wait until a look every second finds that the proxy works again. So a
 * fault of the proxy counts against no webhook.
 */
export function createEgressProxy(
  address: ProxyAddress,
  { logger, probePauseMs = defaultProbePauseMs }: Watching,
): EgressProxy {
  const opening = new Set<OpeningTunnel>();
  const waiting = new Set<() => void>();
  const abortCallbacks = createAbortCallbacks();
  /** Whether the proxy works; null before the first look. */
  let isUp: boolean | null = null;
  /** When the proxy was last found at fault, by `performance.now()`. */
  let downAt = -Infinity;
  let nextLook: NodeJS.Timeout | null = null;
  let isClosed = false;

  const request = async (target: TunnelTarget, timeoutMs: number): Promise<Duplex> => {
    const tunnel = openTunnel(address, target);
    opening.add(tunnel);
    const timer = setTimeout(() => {
      tunnel.abort(`no response to CONNECT within ${timeoutMs} ms`);
    }, timeoutMs);
    try {
      return await tunnel.tunnel;
    } finally {
      clearTimeout(timer);
      opening.delete(tunnel);
    }
  };

  const foundUp = () => {
    if (isUp === false) {
      logger.info({}, 'the egress proxy works again');
    }
    isUp = true;
    waiting.forEach((resume) => {
      resume();
    });
  };

  const foundDown = (error: unknown) => {
    if (isClosed) {
      return;
    }
    if (isUp !== false) {
      logger.warn({ error: messageOf(error) }, 'the egress proxy is at fault: deliveries wait');
    }
    isUp = false;
    downAt = performance.now();
    nextLook ??= setTimeout(() => {
      nextLook = null;
      void look();
    }, probePauseMs);
  };

  const look = singleFlight(async (): Promise<boolean> => {
    try {
      (await request(probeTarget, probeTimeoutMs)).destroy();
    } catch (error) {
      // Any response shows that the proxy works, except the request for a password.
      if (!(error instanceof TunnelError) || error.status === null || error.code === proxyFault) {
        foundDown(error);
        return false;
      }
    }
    foundUp();
    return true;
  });

  void look();
  return {
    open: async (target, timeoutMs) => {
      // A tunnel that takes long shows that either the receiver or the proxy hangs. The proxy may work again at the end.
      const slow = setTimeout(() => void look(), probeTimeoutMs);
      try {
        return await request(target, timeoutMs);
      } catch (error) {
        if (error instanceof TunnelError && error.code === proxyFault) {
          foundDown(error);
        }
        throw error;
      } finally {
        clearTimeout(slow);
      }
    },
    whenUp: (signal) =>
      isUp === true || signal.aborted
        ? Promise.resolve()
        : new Promise((resolve) => {
            const resume = () => {
              waiting.delete(resume);
              withdraw();
              resolve();
            };
            const withdraw = abortCallbacks.add(signal, resume);
            waiting.add(resume);
          }),
    mayHaveLost: async (since) => !(await look()) || downAt >= since,
    check: { name: 'egressProxy', check: async () => ((await look()) ? null : 'not reached') },
    close: () => {
      isClosed = true;
      clearTimeout(nextLook ?? undefined);
      opening.forEach(({ abort }) => {
        abort('the process stops');
      });
    },
  };
}
