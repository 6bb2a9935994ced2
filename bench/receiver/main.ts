import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { sequenceIn } from '../load/eventBody.js';
import { answerRequests } from '../processes/answerRequests.js';
import { monotonicMs } from '../processes/monotonicClock.js';
import { createArrivalLog } from './arrivalLog.js';
import { requestSchema } from './requests.js';

const log = createArrivalLog();
let isHanging = false;

/** The process of all webhooks. It answers 200 at once, except for webhooks that hang, and records the arrival of each event. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://receiver');
    if (searchParams.has('hangs')) {
      if (!isHanging) {
        response.end('ok');
      }
      return;
    }
    const sequence = sequenceIn(Buffer.concat(chunks));
    if (sequence !== null) {
      log.add(Number(pathname.slice(1)), sequence, monotonicMs());
    }
    response.end('ok');
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
    case 'hang':
      ({ isHanging } = request);
      return Promise.resolve(null);
  }
});
