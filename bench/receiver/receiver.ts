import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';

import { startChild, type ChildHost, type ChildProcess } from '../processes/childProcess.js';
import { arrivalsSchema, countSchema, type Arrivals, type EventRange } from './questions.js';

/** The process with the webhooks, as the benchmark sees it. */
export interface Receiver {
  /**
   * @param webhook its number, from 0 on
   * @param answersAfterMs at once by default
   */
  readonly webhookUrl: (webhook: number, answersAfterMs?: number) => string;
  /** How many events of a range have reached a webhook so far. */
  readonly arrived: (range: EventRange) => Promise<number>;
  /** What has reached a webhook of a range so far. */
  readonly arrivals: (range: EventRange) => Promise<Arrivals>;
  /**
   * Waits until each event of a range has reached a webhook.
   * @throws Error with how many are missing, where none more arrives for half a minute
   */
  readonly allArrivals: (range: EventRange) => Promise<Arrivals>;
  /** The URL of a webhook that hangs until it recovers. */
  readonly hangingUrl: (webhook: number) => string;
  /** Lets the webhooks that hang recover, but for a share of their deliveries, from 0 to 1. */
  readonly recover: (hangingShare: number) => Promise<void>;
  /** How many deliveries the webhooks that hang have answered. */
  readonly answeredByHanging: () => Promise<number>;
  readonly process: ChildProcess;
}

const pollMs = 50;
const patienceMs = 30_000;

export async function startReceiver(host: ChildHost): Promise<Receiver> {
  const program = fileURLToPath(new URL('./main.js', import.meta.url));
  const process = await startChild({ name: 'receiver', program }, host);
  const { address, ask } = process;
  const arrived = (range: EventRange) => ask({ ask: 'count', ...range }, countSchema);
  const arrivals = (range: EventRange) => ask({ ask: 'arrivals', ...range }, arrivalsSchema);

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
      if (performance.now() - lastProgress > patienceMs) {
        throw new Error(
          `${range.count - now} of ${range.count} events have not reached webhook ${range.webhook}`,
        );
      }
      await pause(pollMs);
    }
  };

  return {
    webhookUrl: (webhook, answersAfterMs = 0) => `${address}/${webhook}?after=${answersAfterMs}`,
    hangingUrl: (webhook) => `${address}/${webhook}?hangs`,
    recover: async (hangingShare) => {
      await ask({ ask: 'hanging', hangingShare }, countSchema);
    },
    answeredByHanging: () => ask({ ask: 'hanging' }, countSchema),
    arrived,
    arrivals,
    allArrivals: async (range) => {
      await untilArrived(range);
      return arrivals(range);
    },
    process,
  };
}
