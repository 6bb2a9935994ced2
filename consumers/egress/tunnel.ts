import http from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';

import type { ProxyAddress } from '../../shared/settings/egressProxy.js';

/** The error code of a fault of the proxy. It says nothing about the receiver. */
export const proxyFault = 'ERR_EGRESS_PROXY';
/** The error code of a target that the proxy does not allow. */
export const proxyRejected = 'ERR_EGRESS_PROXY_REJECTED';
/** The error code of a tunnel that the proxy could not open for another reason. */
export const proxyFailed = 'ERR_EGRESS_PROXY_FAILED';

/** The receiver at the end of a tunnel. */
export interface TunnelTarget {
  /** An IP address, or a host name that only the proxy resolves. */
  readonly host: string;
  readonly port: number;
}

/** The error of a proxy that opened no tunnel. `status` is null if the proxy sent no response. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError';
  readonly code: string;
  readonly status: number | null;

  constructor(code: string, status: number | null, message: string) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/**
 * The error codes of some statuses for which the proxy answers instead of the receiver (RFC 9110, sections 15.5 and
 * 15.6). Every attempt would get a 407, so only that status is a fault of the proxy. Other statuses are `proxyFailed`.
 */
const codesOfStatuses = new Map<number | undefined, string>([
  [407, proxyFault],
  [403, proxyRejected],
  [504, 'ETIMEDOUT'],
]);

export interface OpeningTunnel {
  /**
   * A connection to the target, whose first byte is the target's.
   * @throws TunnelError if the proxy has opened no tunnel
   */
  readonly tunnel: Promise<Duplex>;
  /** Gives the tunnel up before it is open, because its time is over or the process stops. */
  readonly abort: (reason: string) => void;
}

/** Asks a proxy for a tunnel to a target, by the method CONNECT (RFC 9110 section 9.3.6). */
export function openTunnel({ host, port, authorization }: ProxyAddress, target: TunnelTarget): OpeningTunnel {
  const path = `${isIP(target.host) === 6 ? `[${target.host}]` : target.host}:${target.port}`;
  const headers = { host: path, ...(authorization === null ? {} : { 'proxy-authorization': authorization }) };
  const request = http.request({ host, port, method: 'CONNECT', path, headers, agent: false });
  const tunnel = new Promise<Duplex>((resolve, reject) => {
    request.once('connect', ({ statusCode = 0 }, socket, head) => {
      if (statusCode >= 200 && statusCode < 300) {
        // A receiver that speaks first may have sent bytes with the response of the proxy.
        socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.destroy();
      const code = codesOfStatuses.get(statusCode) ?? proxyFailed;
      reject(new TunnelError(code, statusCode, `the egress proxy answered CONNECT with ${statusCode}`));
    });
    request.on('error', (error) => {
      reject(error instanceof TunnelError ? error : lossOf(error, request.socket?.connecting === false));
    });
  });
  request.end();
  return {
    tunnel,
    abort: (reason) => {
      request.destroy(new TunnelError('ETIMEDOUT', null, reason));
    },
  };
}

/** A proxy that accepts connections may end this one because of its target, so that loss is not known to be its fault. */
function lossOf({ message }: Error, wasConnected: boolean): TunnelError {
  return wasConnected
    ? new TunnelError('ECONNRESET', null, `the egress proxy ended the connection: ${message}`)
    : new TunnelError(proxyFault, null, `the egress proxy cannot be reached: ${message}`);
}
