import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';

import { z } from 'zod';

import { startChild, type ChildHost, type ChildProcess } from '../processes/childProcess.js';
import { arrivalsSchema, countSchema, type Arrivals, type EventRange } from './requests.js';

/** The process of all webhooks, as the benchmark sees it. */
export interface Receiver {
  /** @param webhook its number, from 0 on */
  readonly webhookUrl: (webhook: number) => string;
  /** The arrivals of a range at a webhook so far. */
  readonly arrivals: (range: EventRange) => Promise<Arrivals>;
  /**
   * Waits until each event of a range has reached a webhook.
   * @throws Error with the number of missing events, if none more arrives for half a minute
   */
  readonly allArrivals: (range: EventRange) => Promise<Arrivals>;
  /** The URL of a webhook that can hang. Its arrivals are not counted. */
  readonly hangingUrl: (webhook: number) => string;
  /** Lets the webhooks that can hang do so, or answer, from now on. */
  readonly hang: (isHanging: boolean) => Promise<void>;
  readonly process: ChildProcess;
}

const pollMs = 50;
const progressTimeoutMs = 30_000;

export async function startReceiver(host: ChildHost): Promise<Receiver> {
  const program = fileURLToPath(new URL('./main.js', import.meta.url));
  const process = await startChild({ name: 'receiver', program }, host);
  const { address, request } = process;
  const arrived = (range: EventRange) => request({ kind: 'count', ...range }, countSchema);
  const arrivals = (range: EventRange) => request({ kind: 'arrivals', ...range }, arrivalsSchema);

  const untilArrived = async (range: EventRange): Promise<void> => {
    let before = 0;
    let lastProgress = performance.now();
    for (;;) {
      const now = await arrived(range);
      if (now === range.count) {
        return;
      }
      lastProgress = now > before ? performance.now() : lastProgress;
      before = now;
      if (performance.now() - lastProgress > progressTimeoutMs) {
        throw new Error(
          `${range.count - now} of ${range.count} events have not reached webhook ${range.webhook}`,
        );
      }
      await pause(pollMs);
    }
  };

  return {
    webhookUrl: (webhook) => `${address}/${webhook}`,
    hangingUrl: (webhook) => `${address}/${webhook}?hangs`,
    hang: async (isHanging) => {
      await request({ kind: 'hang', isHanging }, z.null());
    },
    arrivals,
    allArrivals: async (range) => {
      await untilArrived(range);
      return arrivals(range);
    },
    process,
  };
}
