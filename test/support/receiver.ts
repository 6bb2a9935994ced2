import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { eventually } from './eventually.js';
import { closeAtEndOfFile } from './fileResources.js';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly receivedAt: number;
}

/** The server of a webhook. It stores all requests, and answers as configured. */
export interface Receiver {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Waits until this number of requests has arrived. */
  readonly received: (count: number, timeoutMs?: number) => Promise<readonly ReceivedRequest[]>;
  readonly close: () => Promise<void>;
}

export type Answer = (request: ReceivedRequest, response: ServerResponse) => void;

const answerOk: Answer = (_request, response) => {
  response.end('ok');
};

export async function startReceiver(answer: Answer = answerOk): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = {
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks),
        receivedAt: Date.now(),
      };
      requests.push(request);
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    received: (count, timeoutMs) =>
      eventually(
        `the arrival of ${count} requests`,
        () => (requests.length >= count ? requests : null),
        timeoutMs,
      ),
    close: closeAtEndOfFile(
      () =>
        new Promise<void>((resolve) => {
          server.close(() => {
            resolve();
          });
          server.closeAllConnections();
        }),
    ),
  };
}
