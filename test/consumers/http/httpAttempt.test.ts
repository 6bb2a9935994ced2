import { Agent } from 'node:http';
import { gzipSync } from 'node:zlib';

import { expect } from 'chai';
import fc from 'fast-check';
import fetch from 'node-fetch';
import { Webhook } from 'standardwebhooks';

import { createHttpAttempt } from '../../../consumers/http/httpAttempt.js';
import { hasHostName } from '../../../shared/domain/webhooks/address.js';
import { body, deliveries, ok, requestHeaders, secret, settings } from './deliveries.js';
import { type Answer, eventually, flood, startReceiver } from './receiver.js';

describe('an attempt', () => {
  const start = deliveries();

  describe('sends a request that', () => {
    it('contains the bytes of the event unchanged', async () => {
      const { deliver, receiver } = await start((socket) => socket.write(ok));
      await deliver();

      expect(receiver.requests[0]?.split('\r\n\r\n')[1]).to.equal(body.toString('latin1'));
    });

    it('is verified by the standardwebhooks package', async () => {
      const { deliver, receiver } = await start((socket) => socket.write(ok));
      await deliver();

      const event = new Webhook(secret).verify(body, requestHeaders(receiver.requests[0]));
      expect(event).to.deep.equal(JSON.parse(body.toString()));
    });

    it('is a POST of JSON with a user agent', async () => {
      const { deliver, receiver } = await start((socket) => socket.write(ok));
      await deliver();

      expect(receiver.requests[0]?.split('\r\n')[0]).to.equal('POST / HTTP/1.1');
      expect(requestHeaders(receiver.requests[0])).to.include({
        'content-type': 'application/json',
        'content-length': String(body.length),
        'user-agent': 'Postrider/test',
        'webhook-id': 'evt_1',
      });
    });

    it('contains the time at which the attempt began', async () => {
      const receiver = await startReceiver((socket) => socket.write(ok));
      const startedAt = new Date('2026-11-20T11:02:03.999Z');
      const http = createHttpAttempt(settings, { now: () => startedAt });

      await http.attempt({ url: receiver.url, eventId: 'evt_1', body, secrets: [] });
      http.close();
      await receiver.close();

      expect(requestHeaders(receiver.requests[0])['webhook-timestamp']).to.equal('1795172523');
    });
  });

  describe('has an outcome that', () => {
    it('contains the response and the duration', async () => {
      const { deliver } = await start((socket) => socket.write(ok));
      const outcome = await deliver();

      expect(outcome).to.deep.include({
        outcome: 'succeeded',
        statusCode: 200,
        error: null,
        responseBody: Buffer.from('ok'),
        responseHeaders: { 'content-length': '2' },
        retryAfter: null,
      });
      expect(outcome.finishedAt.getTime()).to.equal(outcome.startedAt.getTime() + outcome.durationMs);
    });

    it('contains 4 KiB of an endless body, after 64 KiB of which the connection is closed', async () => {
      const { deliver, receiver } = await start((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        flood(socket, 'abcdefgh');
      });
      const outcome = await deliver();

      expect(outcome.outcome).to.equal('succeeded');
      expect(outcome.responseBody.toString()).to.equal('abcdefgh'.repeat(512));
      await eventually(() => receiver.open() === 0, 'the connection is closed');
    });

    it('contains a compressed body as it was sent', async () => {
      const bomb = gzipSync(Buffer.alloc(10_000_000));
      const { deliver } = await start((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
        socket.write(bomb);
      });

      expect((await deliver()).responseBody.equals(bomb.subarray(0, 4096))).to.equal(true);
    });

    it('contains at most 4 KiB of headers', async () => {
      const headers = Array.from(
        { length: 100 },
        (_, index) => `x-${index + 100}: ${'v'.repeat(90)}\r\n`,
      ).join('');
      const { deliver } = await start((socket) => socket.write(`HTTP/1.1 204 No Content\r\n${headers}\r\n`));

      const kept = Object.entries((await deliver()).responseHeaders)
        .flat()
        .join('');
      expect(kept.length).to.be.within(2_500, 4_096);
    });

    it('contains the headers after one that is too long', async () => {
      const { deliver } = await start((socket) =>
        socket.write(`HTTP/1.1 204 No Content\r\na-long: ${'v'.repeat(5_000)}\r\nb-short: 1\r\n\r\n`),
      );

      expect((await deliver()).responseHeaders).to.deep.equal({ 'b-short': '1' });
    });

    it('masks credentials and signatures in its headers', async () => {
      const names = [
        ...['set-cookie', 'authorization', 'x-api-key', 'webhook-signature', 'x-access-token'],
        ...['x-forwarded-authorization', 'authentication-info', 'x-auth', 'access-key-id', 'x-credentials'],
      ];
      const lines = names.map((name) => `${name}: planted\r\n`).join('');
      const { deliver } = await start((socket) =>
        socket.write(`HTTP/1.1 204 No Content\r\n${lines}x-request-id: 7\r\n\r\n`),
      );

      expect((await deliver()).responseHeaders).to.deep.equal({
        ...Object.fromEntries(names.map((name) => [name, '***'])),
        'x-request-id': '7',
      });
    });
  });

  describe('reads the whole body if the connection ends after it', () => {
    // As many bytes as the attempt reads, and more than the buffers of the streams contain.
    const large = 'x'.repeat(60_000);
    const endings: Record<string, string> = {
      'its length': `content-length: ${large.length}\r\n\r\n${large}`,
      'its last chunk': `transfer-encoding: chunked\r\n\r\n${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`,
      'its connection alone': `\r\n${large}`,
    };
    for (const [what, text] of Object.entries(endings)) {
      it(`and ${what} marks the end`, async () => {
        const { deliver } = await start((socket) =>
          socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n${text}`),
        );
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => deliver()));

        expect(outcomes.filter(({ outcome }) => outcome === 'succeeded')).to.have.length(20);
        expect(outcomes.map(({ responseBody }) => responseBody.length)).to.deep.equal(
          Array.from({ length: 20 }, () => 4096),
        );
      });
    }
  });

  describe('succeeds with', () => {
    const responses: Record<string, Answer> = {
      'a 201 without a body': (socket) => socket.write('HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n'),
      'a 204': (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
      'a 204 with a body': (socket) =>
        socket.write('HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello'),
      'a 204 with a chunk': (socket) =>
        socket.write('HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'),
      'an unknown 2xx': (socket) => socket.write('HTTP/1.1 299 Fine\r\ncontent-length: 0\r\n\r\n'),
      'a 200 with more than its length': (socket) => socket.write(`${ok} and more`),
      'a body that ends with the connection': (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nok'),
      'a response before the request was read': (socket) =>
        socket.write(ok, () => {
          socket.resetAndDestroy();
        }),
      'chunks and trailers, byte by byte': (socket) => {
        const chunks = '2\r\nok\r\n0\r\nx: y\r\n\r\n';
        void writeByteByByte(socket, `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`);
      },
      'informational responses before it': (socket) =>
        socket.write(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ok}`),
    };
    for (const [what, answer] of Object.entries(responses)) {
      it(what, async () => {
        const { deliver } = await start(answer);

        expect((await deliver()).outcome).to.equal('succeeded');
      });
    }
  });

  it('calls the host that was checked, for any URL', async () => {
    const parts = [
      'a',
      '1',
      '127.0.0.1',
      '.',
      ':',
      '8',
      '[',
      ']',
      '::1',
      '-',
      '_',
      '%41',
      "'",
      ';',
      '{',
      '`',
      '!',
      '*',
      'é',
    ];
    const authorities = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(authorities, fc.webPath(), async (authority, path) => {
        const text = `http://${authority.join('')}${path}`;
        fc.pre(URL.canParse(text) && hasHostName(new URL(text)));
        const { href, hostname, port } = new URL(text);
        expect(await calledBy(href)).to.equal(
          `${hostname.replaceAll(/[[\]]/g, '')} ${port === '' ? 80 : port}`,
        );
      }),
      { numRuns: 300 },
    );
  });

  describe('connects to nothing', () => {
    const refusals: Record<string, string> = {
      'not a URL': 'The URL of the webhook is invalid',
      'data:text/plain,hello': 'The service calls only https and http URLs',
      'file:///etc/passwd': 'The service calls only https and http URLs',
      'http://user@example.com/': 'The service calls no URL with a user name or a password',
      'http://:password@example.com/': 'The service calls no URL with a user name or a password',
    };
    for (const [url, message] of Object.entries(refusals)) {
      it(`if its URL is "${url}"`, async () => {
        const { deliver, http } = await start((socket) => socket.write(ok));

        expect((await deliver(url)).error).to.deep.equal({ code: 'address_not_allowed', message });
        expect(http.openConnections()).to.equal(0);
      });
    }

    for (const mark of ["'", ';', '{', '`', '"', '!', '$', '*', '(']) {
      it(`if its host contains ${mark}, at which some URL parsers end the host`, async () => {
        const { deliver, receiver } = await start((socket) => socket.write(ok));
        const { error } = await deliver(`http://127.0.0.1${mark}:${receiver.port}/`);

        expect(error).to.deep.equal({
          code: 'address_not_allowed',
          message: 'The host name of the URL contains invalid characters',
        });
        expect(receiver.accepted()).to.equal(0);
      });
    }

    it('if http: is not allowed', async () => {
      const { deliver, receiver } = await start((socket) => socket.write(ok), { allowHttp: false });
      const outcome = await deliver();

      const error = { code: 'address_not_allowed', message: 'The service calls only https URLs' };
      expect(outcome).to.deep.include({ outcome: 'failed', statusCode: null, error });
      expect(receiver.accepted()).to.equal(0);
    });
  });
});

/** The host and port to which node-fetch would connect for a URL. */
async function calledBy(url: string): Promise<string> {
  let called = 'nothing';
  const agent = new Agent();
  agent.createConnection = ({ host, port }) => {
    called = `${host} ${port}`;
    throw new Error('to be seen alone');
  };
  await fetch(url, { agent }).catch(() => undefined);
  return called;
}

async function writeByteByByte(socket: Parameters<Answer>[0], text: string): Promise<void> {
  socket.setNoDelay(true);
  for (const character of text) {
    await new Promise((resolve) => socket.write(character, resolve));
  }
}
