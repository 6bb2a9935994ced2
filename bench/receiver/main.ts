import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { sequenceIn } from '../load/eventBody.js';
import { answerRequests } from '../processes/answerRequests.js';
import { monotonicMs } from '../processes/monotonicClock.js';
import { createArrivalLog } from './arrivalLog.js';
import { requestSchema } from './requests.js';

/**
 * The process of all webhooks. It answers 200, at once or after the time in the webhook's path, and records the arrival of each
 * event.
 */
const log = createArrivalLog();
const hanging = createHangingWebhooks();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const sequence = sequenceIn(Buffer.concat(chunks));
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://receiver');
    if (searchParams.has('hangs')) {
      hanging.receive(pathname, String(request.headers['webhook-id']), response);
      return;
    }
    if (sequence !== null) {
      log.add(Number(pathname.slice(1)), sequence, monotonicMs());
    }
    const answersAfterMs = Number(searchParams.get('after'));
    if (answersAfterMs === 0) {
      response.end('ok');
    } else {
      setTimeout(() => response.end('ok'), answersAfterMs);
    }
  });
});
// A shorter time could close a connection at the moment when a client uses it again.
server.keepAliveTimeout = 60_000;
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;

answerRequests(`http://127.0.0.1:${port}`, (message) => {
  const request = requestSchema.parse(message);
  switch (request.kind) {
    case 'count':
      return Promise.resolve(log.count(request));
    case 'arrivals':
      return Promise.resolve(log.arrivals(request));
    case 'hanging':
      hanging.recover(request.hangingShare);
      return Promise.resolve(hanging.answered());
  }
});

/** Webhooks that do not answer until they recover. */
function createHangingWebhooks() {
  const answered = new Set<string>();
  let hangingShare = 1;
  return {
    receive: (path: string, eventId: string, response: ServerResponse) => {
      if (Math.random() >= hangingShare) {
        answered.add(`${path} ${eventId}`);
        response.end('ok');
      }
    },
    /** @param share of deliveries, from 0 to 1, that hang at random from now on; unchanged if it is left out */
    recover: (share = hangingShare) => {
      hangingShare = share;
    },
    /** The number of answered deliveries, each counted once. */
    answered: () => answered.size,
  };
}
