import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { sequenceIn } from '../load/eventBody.js';
import { monotonicMs } from '../measure/monotonicClock.js';
import { answerParent } from '../processes/answerParent.js';
import { createArrivalLog } from './arrivalLog.js';
import { createHangingWebhooks } from './hangingWebhooks.js';
import { hangingQuestionSchema, questionSchema } from './questions.js';

/** The process that all webhooks are in: it answers 200, at once or when its path says, and keeps when each event arrived. */
const log = createArrivalLog();
const hanging = createHangingWebhooks(Math.random);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const sequence = sequenceIn(Buffer.concat(chunks));
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://receiver');
    if (searchParams.has('hangs')) {
      hanging.take(pathname, String(request.headers['webhook-id']), response);
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
// Else it may close a connection at the moment at which it is used again.
server.keepAliveTimeout = 60_000;
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;

answerParent(`http://127.0.0.1:${port}`, (question) => {
  const ofHanging = hangingQuestionSchema.safeParse(question);
  if (ofHanging.success) {
    const { hangingShare } = ofHanging.data;
    if (hangingShare !== undefined) {
      hanging.recover(hangingShare);
    }
    return Promise.resolve(hanging.answered());
  }
  const { ask, ...range } = questionSchema.parse(question);
  return Promise.resolve(ask === 'count' ? log.count(range) : log.arrivals(range));
});
