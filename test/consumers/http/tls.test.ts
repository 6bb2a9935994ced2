import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect } from 'chai';

import { createHttpAttempt } from '../../../consumers/http/httpAttempt.js';
import { body, ok, settings } from './deliveries.js';
import { type Receiver, startReceiver } from './receiver.js';

/** Self-signed, for the name localhost alone, until 2120. */
const certificatePath = fileURLToPath(new URL('certificate/certificate.pem', import.meta.url));
const certificate = {
  cert: readFileSync(certificatePath),
  key: readFileSync(new URL('certificate/key.pem', import.meta.url)),
};
const trustingClient = fileURLToPath(new URL('trustingClient.ts', import.meta.url));

describe('an attempt over TLS', () => {
  let receiver: Receiver;
  afterEach(() => receiver.close());

  const failureAt = async (url: string, timeoutMs = 5_000): Promise<unknown> => {
    const http = createHttpAttempt({ ...settings, allowHttp: false, timeoutMs });
    const outcome = await http.attempt({ url, eventId: 'evt_1', body, secrets: [] });
    http.close();
    return outcome.error;
  };

  /** The outcomes of sequential attempts, if the certificate is trusted. */
  const trusting = async (...urls: string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', trustingClient, ...urls],
      {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: certificatePath },
      },
    );
    return JSON.parse(stdout);
  };

  it('succeeds with a trusted certificate, and reuses its connection', async () => {
    receiver = await startReceiver((socket) => socket.write(ok), { certificate });
    const url = `https://localhost:${receiver.port}/`;

    const succeeded = { outcome: 'succeeded', statusCode: 200, error: null, requests: 1 };
    expect(await trusting(url, url)).to.deep.equal([succeeded, succeeded]);
    expect(receiver.accepted()).to.equal(1);
  });

  it('repeats its request only if the reused connection ends before the first byte of a response', async () => {
    const halfHead = 'HTTP/1.1 200 OK\r\n';
    const answers = [ok, '', ok, ok, halfHead];
    receiver = await startReceiver(
      (socket) => {
        const answer = answers.shift() ?? '';
        if (answer === ok) {
          socket.write(answer);
        } else {
          socket.end(answer);
        }
      },
      { certificate },
    );
    const url = `https://localhost:${receiver.port}/`;

    const succeeded = { outcome: 'succeeded', statusCode: 200, error: null };
    expect(await trusting(url, url)).to.deep.equal([
      { ...succeeded, requests: 1 },
      { ...succeeded, requests: 2 },
    ]);
    expect(await trusting(url, url)).to.deep.equal([
      { ...succeeded, requests: 1 },
      {
        outcome: 'failed',
        statusCode: null,
        error: { code: 'connection_reset', message: 'The connection ended before the response was complete' },
        requests: 1,
      },
    ]);
  });

  it('fails with tls_error if a trusted certificate is for another host', async () => {
    receiver = await startReceiver((socket) => socket.write(ok), { certificate });

    const error = { code: 'tls_error', message: 'The certificate of the receiver is for another host name' };
    expect(await trusting(receiver.url)).to.deep.equal([
      { outcome: 'failed', statusCode: null, error, requests: 1 },
    ]);
  });

  it('fails with tls_error, and sends nothing, if the certificate is self-signed', async () => {
    receiver = await startReceiver((socket) => socket.write(ok), { certificate });

    const error = { code: 'tls_error', message: 'The certificate of the receiver is self-signed' };
    expect(await failureAt(receiver.url)).to.deep.equal(error);
    expect(receiver.requests).to.have.length(0);
  });

  it('fails with tls_error if the receiver does not speak TLS', async () => {
    receiver = await startReceiver(() => undefined, {
      onConnection: (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
    });

    const error = { code: 'tls_error', message: 'No TLS connection to the receiver could be made' };
    expect(await failureAt(`https://127.0.0.1:${receiver.port}/`)).to.deep.equal(error);
  });

  it('fails with connection_reset if the connection is closed during the handshake', async () => {
    receiver = await startReceiver(() => undefined, { onConnection: (socket) => socket.destroy() });

    const error = {
      code: 'connection_reset',
      message: 'The connection ended before the response was complete',
    };
    expect(await failureAt(`https://127.0.0.1:${receiver.port}/`)).to.deep.equal(error);
  });

  it('fails with timeout if the handshake does not end', async () => {
    receiver = await startReceiver(() => undefined);

    const error = { code: 'timeout', message: 'The receiver sent no complete response within 0.2 s' };
    expect(await failureAt(`https://127.0.0.1:${receiver.port}/`, 200)).to.deep.equal(error);
  });
});
