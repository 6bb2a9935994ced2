import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { eventually } from '../../support/eventually.js';

/**
 * A load balancer as they commonly work. It polls the readiness of each process, sends requests in turn to the ready ones, and reuses
 * connections. It never repeats a request.
 */
export interface LoadBalancer {
  /** Resolves when the load balancer uses this process. */
  readonly add: (address: string) => Promise<void>;
  /** @returns the status of the answer, or the error of a request without one */
  readonly send: (options: RequestOptions, body?: string) => Promise<number | string>;
  readonly stop: () => Promise<void>;
}

const pollMs = 500;
/** The defaults of Kubernetes. A process that does not answer remains ready until this number of consecutive polls has failed. */
const pollTimeoutMs = 1000;
const failureThreshold = 3;

/** @returns the status of a success */
function resultOf({ complete, statusCode = 0 }: IncomingMessage, text: string): number | string {
  if (!complete) {
    return 'the answer was cut off';
  }
  const [, message = ''] = /"message":"([^"]*)"/.exec(text) ?? [];
  return statusCode < 300 ? statusCode : `${statusCode} ${message}`;
}

export function startLoadBalancer(): LoadBalancer {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set<string>();
  const polls: Promise<void>[] = [];
  let stopped = false;
  let turn = 0;

  const poll = async (address: string) => {
    let unanswered = 0;
    while (!stopped) {
      const isReady = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(pollTimeoutMs) }).then(
        ({ ok }) => ok,
        () => null,
      );
      unanswered = isReady === null ? unanswered + 1 : 0;
      if (isReady === true) {
        ready.add(address);
      } else if (isReady === false || unanswered >= failureThreshold) {
        ready.delete(address);
      }
      await pause(pollMs);
    }
  };

  return {
    add: async (address) => {
      polls.push(poll(address));
      await eventually(`the readiness of ${address}`, () => ready.has(address) || null);
    },
    send: (options, body) => {
      turn += 1;
      const address = [...ready][turn % ready.size];
      if (address === undefined) {
        return Promise.resolve('no process is ready');
      }
      return new Promise((resolve) => {
        const sent = request(address, { ...options, agent }, (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => {
            text += chunk.toString();
          });
          response.once('close', () => {
            resolve(resultOf(response, text));
          });
        });
        sent.once('error', (error) => {
          resolve(`${error.message}${sent.reusedSocket ? ' on a reused connection' : ''}`);
        });
        sent.end(body);
      });
    },
    stop: async () => {
      stopped = true;
      await Promise.all(polls);
      agent.destroy();
    },
  };
}
