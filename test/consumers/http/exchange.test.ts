import { expect } from 'chai';

import { deliveries, ok } from './deliveries.js';
import { type Answer, drip, eventually, flood, startReceiver } from './receiver.js';

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const long = 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n';

/** Responses without a complete head. */
const late: Record<string, Answer> = {
  'no response': () => undefined,
  'a 100 and nothing more': (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
  'a head that drips': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    drip(socket, 'a: b\r\n');
  },
};

const lost: Record<string, Answer> = {
  'is closed at once': (socket) => socket.end(),
  'is reset at once': (socket) => socket.resetAndDestroy(),
  'is closed within the head': (socket) => socket.end('HTTP/1.1 200 OK\r\na: b'),
  'is closed after a 100': (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'),
};

const invalid = { code: 'response_invalid', message: 'The response was not valid HTTP' };
const switched = {
  code: 'response_invalid',
  message: 'The receiver switched protocols with a 101, which the request did not ask for',
};
const headTooLarge = { code: 'response_too_large', message: 'The headers of the response are too long' };

const unreadable: Record<string, readonly [error: object, answer: Answer]> = {
  'something else than HTTP': [invalid, (socket) => socket.write('220 mail.example.com ESMTP\r\n')],
  'a length and chunks at once': [
    invalid,
    (socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
  ],
  'a 101': [
    switched,
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  ],
  'a 101 without a protocol': [
    switched,
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  ],
  'a head without an end': [
    headTooLarge,
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      flood(socket, 'name: value\r\n');
    },
  ],
  'a header without an end': [
    headTooLarge,
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nname: ');
      flood(socket, 'value');
    },
  ],
  'informational responses without an end': [
    {
      code: 'response_too_large',
      message: 'The response of the receiver was too long and was cut off',
    },
    (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  ],
};

/** What may happen to a body, by its head and what follows. */
const truncated: Record<string, Answer> = {
  'it drips': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    drip(socket, 'a');
  },
  'its chunks drip': (socket) => {
    socket.write(chunked);
    drip(socket, '1\r\na\r\n');
  },
  'it stops': (socket) => socket.write(`${long}ok`),
  'it never begins': (socket) => socket.write(long),
  'it has no end': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    flood(socket, 'abcdefgh');
  },
  'its connection is closed before it': (socket) => socket.end(long),
  'its connection is closed': (socket) => socket.end(`${long}ok`),
  'its connection is closed within chunks': (socket) => socket.end(`${chunked}5\r\nok`),
  'its connection is reset': resetAfter(`${long}ok`),
  'its connection is reset and its length unknown': resetAfter('HTTP/1.1 200 OK\r\n\r\nok'),
  'a chunk has no length': (socket) => socket.write(`${chunked}xyz\r\n`),
  'a chunk behind one that was well has no length': (socket) => {
    socket.write(`${chunked}2\r\nok\r\n`);
    setTimeout(() => socket.write('xyz\r\n'), 20);
  },
  'a chunk extension has no end': (socket) => {
    socket.write(`${chunked}1;`);
    flood(socket, 'a=b;');
  },
  'its trailers have no end': (socket) => {
    socket.write(`${chunked}0\r\n`);
    flood(socket, 'a: b\r\n');
  },
};

describe('an exchange with a 2xx', () => {
  const start = deliveries();

  for (const [what, answer] of Object.entries(truncated)) {
    it(`succeeds with a truncated body, and closes its connection, if ${what}`, async () => {
      const { deliver, receiver } = await start(answer, { timeoutMs: 500 });
      const outcome = await deliver();

      const succeeded = { outcome: 'succeeded', statusCode: 200, error: null, responseTruncated: true };
      expect(outcome).to.deep.include(succeeded);
      await eventually(() => receiver.open() === 0, 'the connection is closed');
      expect(receiver.requests).to.have.length(1);
    });
  }

  it('succeeds with a truncated body if it waited for its connection', async () => {
    const answers: readonly Answer[] = [
      (socket) => setTimeout(() => socket.write(ok), 50),
      (socket) => socket.end(`${long}ok`),
    ];
    let requests = 0;
    const { deliver } = await start(
      (socket) => {
        requests += 1;
        answers[requests - 1]?.(socket, requests);
      },
      { maxConnections: 1, timeoutMs: 400 },
    );
    const [, outcome] = await Promise.all([deliver(), deliver()]);

    expect(outcome).to.deep.include({ outcome: 'succeeded', statusCode: 200, responseTruncated: true });
  });

  it('succeeds if the process was paused until the time limit had passed, and the response had arrived', async () => {
    const { deliver } = await start(
      (socket) => {
        socket.write(ok);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      },
      { timeoutMs: 200 },
    );

    expect(await deliver()).to.deep.include({ outcome: 'succeeded', statusCode: 200, error: null });
  });

  for (const [bytes, responseTruncated] of [
    [0, false],
    [4096, false],
    [4097, true],
  ] as const) {
    it(`says whether the whole body of ${bytes} bytes is kept`, async () => {
      const { deliver } = await start((socket) =>
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`),
      );

      expect((await deliver()).responseTruncated).to.equal(responseTruncated);
    });
  }
});

describe('an exchange fails', () => {
  const start = deliveries();

  for (const [what, answer] of Object.entries(late)) {
    it(`as timeout, and closes its connection, if it gets ${what}`, async () => {
      const { deliver, receiver } = await start(answer, { timeoutMs: 200 });
      const outcome = await deliver();

      const error = { code: 'timeout', message: 'The receiver sent no complete response within 0.2 s' };
      expect(outcome).to.deep.include({ outcome: 'failed', statusCode: null, error });
      expect(outcome.durationMs).to.be.at.least(190);
      await eventually(() => receiver.open() === 0, 'the connection is closed');
    });
  }

  for (const [what, answer] of Object.entries(lost)) {
    it(`as connection_reset, and is not repeated, if its new connection ${what}`, async () => {
      const { deliver, receiver } = await start(answer);
      const outcome = await deliver();

      const error = {
        code: 'connection_reset',
        message: 'The connection ended before the response was complete',
      };
      expect(outcome).to.deep.include({ outcome: 'failed', statusCode: null, error, requests: 1 });
      await eventually(() => receiver.open() === 0, 'the connection is closed');
      expect(receiver.accepted()).to.equal(1);
    });
  }

  for (const [what, [error, answer]] of Object.entries(unreadable)) {
    it(`with the reason, and closes its connection, if it gets ${what}`, async () => {
      const { deliver, receiver } = await start(answer);

      expect(await deliver()).to.deep.include({ outcome: 'failed', statusCode: null, error });
      await eventually(() => receiver.open() === 0, 'the connection is closed');
    });
  }

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
    const responseBody = Buffer.from('no longer here');
    expect(outcome).to.deep.include({ statusCode: 410, error, responseBody, responseTruncated: true });
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

  it('as connection_failed if the system makes no connection to such an address', async () => {
    const { deliver } = await start(() => undefined);

    // A link-local address without a zone: EINVAL, or ENETUNREACH on a machine without IPv6.
    const { statusCode, error } = await deliver('http://[fe80::1]/');
    expect({ statusCode, code: error?.code }).to.deep.equal({ statusCode: null, code: 'connection_failed' });
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
