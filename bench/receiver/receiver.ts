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
  /**
   * Waits until each event of a range has reached a webhook.
   * @throws Error with how many are missing, where none more arrives for half a minute
   */
  readonly arrivals: (range: EventRange) => Promise<Arrivals>;
  readonly process: ChildProcess;
}

const pollMs = 50;
const patienceMs = 30_000;

export async function startReceiver(host: ChildHost): Promise<Receiver> {
  const program = fileURLToPath(new URL('./main.js', import.meta.url));
  const process = await startChild({ name: 'receiver', program }, host);
  const { address, ask } = process;

  const untilArrived = async (range: EventRange): Promise<void> => {
    let arrived = 0;
    let lastProgress = performance.now();
    for (;;) {
      const now = await ask({ ask: 'count', ...range }, countSchema);
      if (now === range.count) {
        return;
      }
      lastProgress = now > arrived ? performance.now() : lastProgress;
      arrived = now;
      if (performance.now() - lastProgress > patienceMs) {
        throw new Error(
          `${range.count - arrived} of ${range.count} events have not reached webhook ${range.webhook}`,
        );
      }
      await pause(pollMs);
    }
  };

  return {
    webhookUrl: (webhook, answersAfterMs = 0) => `${address}/${webhook}?after=${answersAfterMs}`,
    arrivals: async (range) => {
      await untilArrived(range);
      return ask({ ask: 'arrivals', ...range }, arrivalsSchema);
    },
    process,
  };
}
