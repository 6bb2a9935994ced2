import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

/** The behavior of the receiver of one webhook. */
export interface Behavior {
  readonly holdMs: number;
  /** The number of first requests of each event that the receiver answers with 500. */
  readonly failures: (eventId: string) => number;
}

/** The records of a receiver about one event. */
export interface Received {
  requests: number;
  successes: number;
}

/** Receivers that write each request to disk before they answer it, and retain no request in memory. */
export interface Receivers {
  readonly urlOf: (webhook: string) => string;
  /** The records from disk, by webhook and event. */
  readonly read: () => Promise<ReadonlyMap<string, Received>>;
  readonly close: () => Promise<void>;
}

export async function openReceivers(
  file: string,
  behaviors: Readonly<Record<string, Behavior>>,
): Promise<Receivers> {
  const descriptor = openSync(file, 'a');
  const failed = new Map<string, number>();

  const codeOf = (pair: string, failures: number): number => {
    const before = failed.get(pair) ?? 0;
    if (before >= failures) {
      return 204;
    }
    failed.set(pair, before + 1);
    return 500;
  };

  const server = createServer((request, response) => {
    const webhook = (request.url ?? '').slice(1);
    const eventId = String(request.headers['webhook-id']);
    const behavior = behaviors[webhook];
    request.resume().on('end', () => {
      setTimeout(() => {
        const code = codeOf(`${webhook}/${eventId}`, behavior?.failures(eventId) ?? 0);
        writeSync(descriptor, `${webhook}/${eventId} ${code}\n`);
        response.writeHead(code).end();
      }, behavior?.holdMs ?? 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    urlOf: (webhook) => `http://127.0.0.1:${port}/${webhook}`,
    read: async () => {
      const received = new Map<string, Received>();
      for await (const line of createInterface({ input: createReadStream(file) })) {
        const [pair = '', code] = line.split(' ');
        const known = received.get(pair) ?? { requests: 0, successes: 0 };
        known.requests += 1;
        known.successes += code === '204' ? 1 : 0;
        received.set(pair, known);
      }
      return received;
    },
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      });
      closeSync(descriptor);
    },
  };
}
