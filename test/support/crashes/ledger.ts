import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

import { startReceiver, type Receiver } from '../receiver.js';

/** A receiver that writes each request and response to disk before it responds. */
export interface Ledger {
  /** The URL of a webhook. For each event, `plan` determines the request from which on the webhook succeeds. */
  readonly urlOf: (name: string) => string;
  /** The requests that are unanswered, or were answered within the last second. */
  readonly inHand: () => number;
  readonly open: () => number;
  /** The responses on disk: the status codes by webhook and event. */
  readonly read: () => ReadonlyMap<string, readonly number[]>;
  readonly arrivals: () => ReadonlyMap<string, number>;
  readonly close: () => Promise<void>;
}

export interface LedgerSettings {
  readonly file: string;
  /** The number of the request from which on an event succeeds at this webhook. Beyond the schedule it never succeeds. */
  readonly successAt: (webhook: string, eventId: string) => number;
  /** The delay of each response, in milliseconds. */
  readonly holdMs: () => number;
}

const recentMs = 1000;

export async function openLedger({ file, successAt, holdMs }: LedgerSettings): Promise<Ledger> {
  const descriptor = openSync(file, 'a');
  const arrivals = new Map<string, number>();
  const answeredAt: number[] = [];
  let open = 0;

  const receiver: Receiver = await startReceiver(({ headers, path }, response) => {
    const webhook = path.slice(path.lastIndexOf('/') + 1);
    const eventId = String(headers['webhook-id']);
    const pair = `${webhook}/${eventId}`;
    const count = (arrivals.get(pair) ?? 0) + 1;
    arrivals.set(pair, count);
    open += 1;
    setTimeout(() => {
      const code = count >= successAt(webhook, eventId) ? 204 : 500;
      writeSync(descriptor, `${pair} ${code}\n`);
      open -= 1;
      answeredAt.push(Date.now());
      response.writeHead(code).end();
    }, holdMs());
  });

  return {
    urlOf: (name) => `${receiver.url}/${name}`,
    open: () => open,
    inHand: () => open + answeredAt.filter((at) => at > Date.now() - recentMs).length,
    read: () => {
      const codes = new Map<string, number[]>();
      for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
        const [pair = '', code] = line.split(' ');
        codes.set(pair, [...(codes.get(pair) ?? []), Number(code)]);
      }
      return codes;
    },
    arrivals: () => arrivals,
    close: async () => {
      await receiver.close();
      closeSync(descriptor);
    },
  };
}
