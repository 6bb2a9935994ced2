import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { createScrub } from '../../../consumers/credentials/scrub.js';
import type { ObtainCredentials } from '../../../consumers/http/httpAttempt.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { secretBytes } from '../../../shared/domain/webhooks/signature.js';
import { body, deliveries, ok, requestHeaders, secret } from './deliveries.js';
import type { Answer } from './receiver.js';

const planted = 'planted-5f2b8c';
const headers = { 'x-api-key': planted, 'user-agent': 'Shop/1' };
const credentials = { headers, scrub: createScrub(Object.values(headers)) };
const keptBytes = 4096;

function answerWith(text: string, more = ''): Answer {
  return (socket: Socket) =>
    socket.write(`HTTP/1.1 200 OK\r\n${more}content-length: ${String(text.length)}\r\n\r\n${text}`);
}

describe('an attempt with configured headers', () => {
  const start = deliveries();
  const attempt = async (answer: Answer) => {
    const { http, receiver } = await start(answer);
    const secrets = [secretBytes(secret)];
    const outcome = await http.attempt({ url: receiver.url, eventId: 'evt_1', body, secrets, credentials });
    return { outcome, receiver };
  };

  it('sends them, and a configured user agent replaces its own', async () => {
    const { receiver } = await attempt((socket) => socket.write(ok));

    expect(requestHeaders(receiver.requests[0])).to.include({ ...headers, 'webhook-id': 'evt_1' });
  });

  it('records them masked', async () => {
    const { outcome } = await attempt((socket) => socket.write(ok));

    expect(outcome.requestHeaders).to.include({
      'x-api-key': '***',
      'user-agent': '***',
      'webhook-signature': 'v1,***',
      'webhook-id': 'evt_1',
    });
  });

  it('masks values that the receiver echoes in the body', async () => {
    const { outcome } = await attempt(answerWith(`{"echo":"${planted}"}`));

    expect(outcome.responseBody.toString()).to.equal('{"echo":"***"}');
  });

  it('masks values that the receiver echoes in headers', async () => {
    const { outcome } = await attempt(answerWith('', `x-echo: a ${planted} b\r\nx-${planted}: 1\r\n`));

    expect(outcome.responseHeaders).to.include({ 'x-echo': 'a *** b', 'x-***': '1' });
  });

  for (const before of [keptBytes - planted.length, keptBytes - 7, keptBytes - 1, keptBytes]) {
    it(`records no part of a value that begins ${String(before)} bytes after the start of the body`, async () => {
      const { outcome } = await attempt(answerWith(`${'.'.repeat(before)}${planted}${'.'.repeat(100)}`));

      expect(outcome.responseBody.toString()).to.match(/^\.{4000,}\**\.*$/u);
      expect(outcome.responseBody.length).to.be.at.most(keptBytes);
    });
  }

  it('records no part of a value if the connection ends within it', async () => {
    const { outcome } = await attempt((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\necho ${planted.slice(0, 9)}`),
    );

    expect(outcome.responseTruncated).to.equal(true);
    expect(outcome.responseBody.toString()).to.equal('echo ***');
  });
});

describe('an attempt whose credentials are obtained', () => {
  const start = deliveries();
  const attempt = async (obtain: ObtainCredentials, timeoutMs = 5_000) => {
    const { http, receiver } = await start(answerWith(planted));
    const request = { url: receiver.url, eventId: 'evt_1', body, secrets: [], timeoutMs };
    return { outcome: await http.attempt({ ...request, credentials: obtain }), receiver };
  };

  it('sends them, and records neither them nor what the receiver echoes', async () => {
    const { outcome, receiver } = await attempt(() => Promise.resolve(credentials));

    expect(requestHeaders(receiver.requests[0])).to.include(headers);
    expect(outcome.requestHeaders).to.include({ 'x-api-key': '***' });
    expect(outcome.responseBody.toString()).to.equal('***');
  });

  it('sends nothing if there are none, and fails for this reason', async () => {
    const error = { code: 'auth_failed', message: 'The token server answered with 500' } as const;
    const { outcome, receiver } = await attempt(() => Promise.resolve(error));

    expect(outcome).to.include({ outcome: 'failed', statusCode: null, error, requestHeaders: null });
    expect(receiver.accepted()).to.equal(0);
  });

  it('fails within its time limit if they take longer', async () => {
    const { outcome, receiver } = await attempt(() => new Promise(() => undefined), 50);

    expect([outcome.error?.code, outcome.statusCode]).to.deep.equal(['auth_failed', null]);
    expect(receiver.accepted()).to.equal(0);
  });

  it('sends nothing and has no outcome if it is not confirmed once they are there', async () => {
    const { http, receiver } = await start(answerWith(planted));
    const request = { url: receiver.url, eventId: 'evt_1', body, secrets: [] };
    const changed = new UnavailableError('the webhook has changed');
    const steps: string[] = [];
    const failed = http.attempt({
      ...request,
      credentials: () => {
        steps.push('obtain');
        return Promise.resolve(credentials);
      },
      confirm: () => {
        steps.push('confirm');
        return Promise.reject(changed);
      },
    });

    expect(await failed.catch((error: unknown) => error)).to.equal(changed);
    expect(steps).to.deep.equal(['obtain', 'confirm']);
    expect(receiver.accepted()).to.equal(0);
  });

  it('sends nothing and has no outcome if its time limit ends before it is confirmed', async () => {
    const { http, receiver } = await start(answerWith(planted));
    const request = { url: receiver.url, eventId: 'evt_1', body, secrets: [], timeoutMs: 20 };
    const failed = http.attempt({
      ...request,
      credentials: () => Promise.resolve(credentials),
      confirm: () => pause(60),
    });

    expect(await failed.catch((error: unknown) => error)).to.be.instanceOf(UnavailableError);
    expect(receiver.accepted()).to.equal(0);
  });

  it('has no outcome if the egress proxy was at fault', async () => {
    const fault = new UnavailableError('the egress proxy is at fault');
    const failed = attempt(() => Promise.reject(fault)).catch((error: unknown) => error);

    expect(await failed).to.equal(fault);
  });
});
