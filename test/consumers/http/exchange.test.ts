import { expect } from 'chai';

import { deliveries, ok } from './deliveries.js';
import { type Answer, drip, eventually, flood, startReceiver } from './receiver.js';

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const long = 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n';

/** The faults of a receiver, with the status code that arrives nevertheless. */
type Misbehaviour = readonly [statusCode: number | null, answer: Answer];

const late: Record<string, Misbehaviour> = {
  'no response': [null, () => undefined],
  'a 100 and nothing more': [null, (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n')],
  'a head that drips': [
    null,
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      drip(socket, 'a: b\r\n');
    },
  ],
  'a body that drips': [
    200,
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      drip(socket, 'a');
    },
  ],
  'chunks that drip': [
    200,
    (socket) => {
      socket.write(chunked);
      drip(socket, '1\r\na\r\n');
    },
  ],
  'a body that stops': [200, (socket) => socket.write(`${long}ok`)],
};

const lost: Record<string, Misbehaviour> = {
  'is closed at once': [null, (socket) => socket.end()],
  'is reset at once': [null, (socket) => socket.resetAndDestroy()],
  'is closed within the head': [null, (socket) => socket.end('HTTP/1.1 200 OK\r\na: b')],
  'is closed within the body': [200, (socket) => socket.end(`${long}ok`)],
  'is closed within chunks': [200, (socket) => socket.end(`${chunked}5\r\nok`)],
  'is reset within the body': [200, resetAfter(`${long}ok`)],
  'is reset within a body of unknown length': [200, resetAfter('HTTP/1.1 200 OK\r\n\r\nok')],
  'switches protocols': [
    null,
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  ],
};

const unreadable: Record<string, readonly [...Misbehaviour, message: string]> = {
  'a chunk of no length': [
    200,
    (socket) => socket.write(`${chunked}xyz\r\n`),
    'The response was not valid HTTP',
  ],
  'a chunk of no length behind one that was well': [
    200,
    (socket) => {
      socket.write(`${chunked}2\r\nok\r\n`);
      setTimeout(() => socket.write('xyz\r\n'), 20);
    },
    'The response was not valid HTTP',
  ],
  'a chunk extension without an end': [
    200,
    (socket) => {
      socket.write(`${chunked}1;`);
      flood(socket, 'a=b;');
    },
    'The response was not valid HTTP',
  ],
  'trailers without an end': [
    200,
    (socket) => {
      socket.write(`${chunked}0\r\n`);
      flood(socket, 'a: b\r\n');
    },
    'The headers of the response are too long',
  ],
  'a head without an end': [
    null,
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      flood(socket, 'name: value\r\n');
    },
    'The headers of the response are too long',
  ],
  'a header without an end': [
    null,
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nname: ');
      flood(socket, 'value');
    },
    'The headers of the response are too long',
  ],
  'informational responses without an end': [
    null,
    (socket) => {
      flood(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n');
    },
    'The response of the receiver was too long and was cut off',
  ],
  'something else than HTTP': [
    null,
    (socket) => socket.write('220 mail.example.com ESMTP\r\n'),
    'The response was not valid HTTP',
  ],
  'a length and chunks at once': [
    null,
    (socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
    'The response was not valid HTTP',
  ],
};

describe('an exchange fails', () => {
  const start = deliveries();

  for (const [what, [statusCode, answer]] of Object.entries(late)) {
    it(`as timeout, and closes its connection, if it gets ${what}`, async () => {
      const { deliver, receiver } = await start(answer, { timeoutMs: 200 });
      const outcome = await deliver();

      const error = { code: 'timeout', message: 'The receiver sent no complete response within 0.2 s' };
      expect(outcome).to.deep.include({ outcome: 'failed', statusCode, error });
      expect(outcome.durationMs).to.be.at.least(190);
      await eventually(() => receiver.open() === 0, 'the connection is closed');
    });
  }

  for (const [what, [statusCode, answer]] of Object.entries(lost)) {
    it(`as connection_reset, and is not repeated, if its connection ${what}`, async () => {
      const { deliver, receiver } = await start(answer);
      const outcome = await deliver();

      const error = {
        code: 'connection_reset',
        message: 'The connection ended before the response was complete',
      };
      expect(outcome).to.deep.include({ outcome: 'failed', statusCode, error });
      await eventually(() => receiver.open() === 0, 'the connection is closed');
      expect(receiver.accepted()).to.equal(1);
    });
  }

  for (const [what, [statusCode, answer, message]] of Object.entries(unreadable)) {
    it(`as connection_reset, and closes its connection, if it gets ${what}`, async () => {
      const { deliver, receiver } = await start(answer);
      const outcome = await deliver();

      const error = { code: 'connection_reset', message };
      expect(outcome).to.deep.include({ outcome: 'failed', statusCode, error });
      await eventually(() => receiver.open() === 0, 'the connection is closed');
    });
  }

  it('as timeout if it waited for its connection and its body is cut off', async () => {
    let requests = 0;
    const { deliver } = await start(
      (socket) => {
        requests += 1;
        if (requests === 1) {
          setTimeout(() => socket.write(ok), 50);
        } else {
          socket.end(`${long}ok`);
        }
      },
      { maxConnections: 1, timeoutMs: 400 },
    );
    const [, outcome] = await Promise.all([deliver(), deliver()]);

    const error = { code: 'timeout', message: 'The receiver sent no complete response within 0.4 s' };
    expect(outcome).to.deep.include({ outcome: 'failed', statusCode: 200, error });
  });

  for (const statusCode of [300, 304, 400, 404, 410, 429, 500, 503, 599, 999]) {
    it(`as http_status if the status is ${statusCode}`, async () => {
      const { deliver } = await start((socket) =>
        socket.write(`HTTP/1.1 ${statusCode} X\r\ncontent-length: 0\r\n\r\n`),
      );

      const error = { code: 'http_status', message: `The receiver answered with ${statusCode}` };
      expect(await deliver()).to.deep.include({ outcome: 'failed', statusCode, error });
    });
  }

  for (const statusCode of [301, 302, 303, 307, 308]) {
    it(`as redirect_not_followed if the status is ${statusCode}`, async () => {
      const { deliver, receiver } = await start((socket) =>
        socket.write(`HTTP/1.1 ${statusCode} X\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n`),
      );
      const outcome = await deliver();

      const message = `The receiver redirected with ${statusCode}, and the service does not follow redirects`;
      const error = { code: 'redirect_not_followed', message };
      expect(outcome).to.deep.include({ outcome: 'failed', statusCode, error });
      expect(receiver.requests).to.have.length(1);
    });
  }

  it('by its status, no matter how the body ends', async () => {
    const { deliver } = await start(
      (socket) => socket.write('HTTP/1.1 410 Gone\r\ncontent-length: 100000\r\n\r\nno longer here'),
      { timeoutMs: 200 },
    );
    const outcome = await deliver();

    const error = { code: 'http_status', message: 'The receiver answered with 410' };
    expect(outcome).to.deep.include({ statusCode: 410, error, responseBody: Buffer.from('no longer here') });
  });

  const retryAfter: Record<number, string | null> = {
    429: 'in a while',
    503: 'in a while',
    500: null,
    200: null,
  };
  for (const [statusCode, expected] of Object.entries(retryAfter)) {
    it(`with ${expected === null ? 'no' : 'the'} Retry-After if the status is ${statusCode}`, async () => {
      const { deliver } = await start((socket) =>
        socket.write(`HTTP/1.1 ${statusCode} X\r\nretry-after: in a while\r\ncontent-length: 0\r\n\r\n`),
      );

      expect((await deliver()).retryAfter).to.equal(expected);
    });
  }

  it('as connection_refused if no server listens', async () => {
    const gone = await startReceiver(() => undefined);
    await gone.close();
    const { deliver } = await start(() => undefined);

    const error = { code: 'connection_refused', message: 'The connection was refused' };
    expect(await deliver(gone.url)).to.deep.include({ outcome: 'failed', statusCode: null, error });
  });

  it('as dns_error if the name does not exist', async () => {
    const { deliver } = await start(() => undefined);

    const error = { code: 'dns_error', message: 'The host name of the webhook could not be resolved' };
    expect(await deliver('http://does-not-exist.invalid/')).to.deep.include({ statusCode: null, error });
  });
});

/** Pauses so that the other side reads the written bytes, because a reset discards bytes in transit. */
function resetAfter(text: string): Answer {
  return (socket) => {
    socket.write(text);
    setTimeout(() => socket.resetAndDestroy(), 50);
  };
}
