import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect } from 'chai';

import { createEgressProxy, type EgressProxy } from '../../../consumers/egress/egressProxy.js';
import type { NameResolver } from '../../../consumers/http/addressGuard.js';
import { createHttpAttempt, type AttemptOutcome } from '../../../consumers/http/httpAttempt.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { createLogger } from '../../../shared/core/logger.js';
import { egressProxySetting } from '../../../shared/settings/egressProxy.js';
import { startConnectProxy, type ConnectProxy } from '../../support/connectProxy.js';
import { eventually } from '../../support/eventually.js';
import { body, ok, settings } from '../http/deliveries.js';
import { startReceiver, type Answer, type Receiver } from '../http/receiver.js';

const certificatePath = fileURLToPath(new URL('../http/certificate/certificate.pem', import.meta.url));
const certificate = {
  cert: readFileSync(certificatePath),
  key: readFileSync(new URL('../http/certificate/key.pem', import.meta.url)),
};
const proxiedClient = fileURLToPath(new URL('proxiedClient.ts', import.meta.url));
/** A public address. The proxy of a test answers requests for it, so that nothing leaves this machine. */
const publicAddress = '8.8.8.8';
const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
const answerOk: Answer = (socket) => socket.write(ok);

describe('an attempt through an egress proxy', () => {
  let proxy: ConnectProxy;
  let receiver: Receiver;
  let egressProxy: EgressProxy;
  const ends: (() => void)[] = [];

  beforeEach(async () => {
    proxy = await startConnectProxy();
    receiver = await startReceiver(answerOk);
    egressProxy = watch(proxy.url);
  });

  afterEach(async () => {
    ends.splice(0).forEach((end) => {
      end();
    });
    await receiver.close();
    await proxy.stop();
  });

  function watch(url: string): EgressProxy {
    const watched = createEgressProxy(egressProxySetting.parse(url), { logger, probePauseMs: 20 });
    ends.push(watched.close);
    return watched;
  }

  interface Terms {
    readonly timeoutMs?: number;
    readonly allowPrivateAddresses?: boolean;
    readonly resolver?: NameResolver;
  }

  /** A client, and attempts with it. */
  function client({ timeoutMs = 5000, allowPrivateAddresses = true, resolver }: Terms = {}) {
    const http = createHttpAttempt(
      { ...settings, timeoutMs, allowPrivateAddresses },
      { egressProxy, ...(resolver === undefined ? {} : { resolver }) },
    );
    ends.push(http.close);
    return {
      ...http,
      send: (url = receiver.url): Promise<AttemptOutcome> =>
        http.attempt({ url, eventId: 'evt_1', body, secrets: [] }),
    };
  }

  /** Whether a promise is settled, in the next turns of the event loop. */
  async function isUp(): Promise<boolean> {
    const end = new AbortController();
    let wasUp = false;
    void egressProxy.whenUp(end.signal).then(() => {
      wasUp ||= !end.signal.aborted;
    });
    await new Promise(setImmediate);
    end.abort();
    return wasUp;
  }

  it('reaches its receiver through a tunnel, and reuses the tunnel', async () => {
    const { send } = client();
    expect(await send()).to.include({ outcome: 'succeeded', statusCode: 200 });
    expect(await send()).to.include({ outcome: 'succeeded', statusCode: 200 });
    expect(proxy.requests).to.deep.equal([
      { target: `127.0.0.1:${receiver.port}`, authorization: undefined },
    ]);
    expect(receiver.requests).to.have.length(2);
  });

  for (const [what, answer, expected] of [
    ['no byte', '', { outcome: 'succeeded', requests: 2 }],
    ['half a head', 'HTTP/1.1 200 OK\r\n', { outcome: 'failed', statusCode: null, requests: 1 }],
  ] as const) {
    it(`${expected.requests === 2 ? 'repeats' : 'does not repeat'} a request if its reused tunnel ends after ${what}`, async () => {
      const closing = await startReceiver((socket, numberOnConnection) => {
        if (numberOnConnection === 1) {
          answerOk(socket, numberOnConnection);
        } else {
          socket.end(answer);
        }
      });
      const { send } = client();
      await send(closing.url);
      expect(await send(closing.url)).to.include(expected);
      await closing.close();
    });
  }

  it('sends the user and the password of the setting', async () => {
    egressProxy = watch(proxy.url.replace('http://', 'http://ada:p%40ss%3Aword@'));
    await client().send();
    expect(proxy.requests[0]?.authorization).to.equal(`Basic ${btoa('ada:p@ss:word')}`);
  });

  it('asks the proxy for the checked address of a host name, so that a later DNS answer has no effect', async () => {
    const answers = [[publicAddress], ['127.0.0.1']];
    const resolver = { resolve: () => Promise.resolve(answers.shift() ?? []), close: () => undefined };
    proxy.answer(502);
    const { send } = client({ allowPrivateAddresses: false, resolver });

    await send('http://rebinding.example.com/');
    expect(proxy.requests.map(({ target }) => target)).to.deep.equal([`${publicAddress}:80`]);

    const second = await send('http://rebinding.example.com/');
    expect(second.error?.code).to.equal('address_not_allowed');
    expect(proxy.requests).to.have.length(1);
  });

  it('tries the addresses of a host name one after the other', async () => {
    const resolver = {
      resolve: () => Promise.resolve(['127.0.0.2', '::1', '127.0.0.1']),
      close: () => undefined,
    };
    const outcome = await client({ resolver }).send(`http://example.com:${receiver.port}/`);
    expect(outcome.outcome).to.equal('succeeded');
    expect(proxy.requests.map(({ target }) => target)).to.deep.equal(
      ['127.0.0.2', '[::1]', '127.0.0.1'].map((address) => `${address}:${receiver.port}`),
    );
  });

  it('checks the certificate of the receiver for the host name of the URL', async () => {
    const secure = await startReceiver(answerOk, { certificate });
    try {
      const urls = ['localhost', '127.0.0.1'].map((host) => `https://${host}:${secure.port}/`);
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--import', 'tsx', proxiedClient, proxy.url, ...urls],
        { env: { ...process.env, NODE_EXTRA_CA_CERTS: certificatePath } },
      );
      expect(JSON.parse(stdout)).to.deep.equal([
        { statusCode: 200, error: null },
        {
          statusCode: null,
          error: { code: 'tls_error', message: 'The certificate of the receiver is for another host name' },
        },
      ]);
    } finally {
      await secure.close();
    }
  });

  it('cuts off a response that is too long', async () => {
    const long = await startReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(10)}\r\n`);
      socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(20_000));
    });
    const outcome = await client().send(long.url);
    await long.close();
    expect(outcome.responseBody.length).to.be.at.most(4096);
    expect(outcome.statusCode).to.equal(200);
  });

  for (const [status, code] of [
    [502, 'connection_failed'],
    [503, 'connection_failed'],
    [504, 'timeout'],
    [403, 'address_not_allowed'],
    [500, 'connection_failed'],
  ] as const) {
    it(`fails with ${code} if the proxy answers ${status}, and further attempts do not wait`, async () => {
      proxy.answer(status);
      expect((await client().send()).error?.code).to.equal(code);
      expect(await isUp()).to.equal(true);
    });
  }

  it('is a failure of the receiver if the receiver hangs behind a proxy that works', async () => {
    const hanging = await startReceiver(() => undefined);
    const outcome = await client({ timeoutMs: 100 }).send(hanging.url);
    await hanging.close();
    expect(outcome.error?.code).to.equal('timeout');
    expect(await isUp()).to.equal(true);
  });

  /** Attempts have no outcome, and wait until `mend` has been called. */
  async function expectFault(attempt: Promise<unknown>, mend: () => Promise<void> | void): Promise<void> {
    const failure = await attempt.catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(UnavailableError);
    expect(await isUp()).to.equal(false);
    expect(await egressProxy.check.check()).to.equal('not reached');
    await mend();
    await egressProxy.whenUp(new AbortController().signal);
    expect(await egressProxy.check.check()).to.equal(null);
    expect(await client().send()).to.include({ outcome: 'succeeded' });
  }

  it('has no outcome while the proxy accepts no connections', async () => {
    await proxy.stop();
    await expectFault(client().send(), proxy.start);
  });

  it('has no outcome while the proxy demands other credentials', async () => {
    proxy.answer(407);
    await expectFault(client().send(), () => {
      proxy.answer('open');
    });
  });

  it('has no outcome while the proxy does not answer', async () => {
    proxy.answer('hang');
    await expectFault(client({ timeoutMs: 100 }).send(), () => {
      proxy.answer('open');
    });
  });

  it('has no outcome while the proxy ends each connection without an answer', async () => {
    proxy.answer('cut');
    await expectFault(client().send(), () => {
      proxy.answer('open');
    });
  });

  it('has no outcome if the proxy stops within the tunnels of a hundred attempts, and one look is enough for all', async () => {
    const hanging = await startReceiver(() => undefined);
    const { send } = client();
    const attempts = Array.from({ length: 100 }, () => send(hanging.url).catch((error: unknown) => error));
    await eventually('all requests', () => (hanging.requests.length === 100 ? true : null));
    await proxy.stop();
    for (const failure of await Promise.all(attempts)) {
      expect(failure).to.be.instanceOf(UnavailableError);
    }
    await hanging.close();
    await proxy.start();
    await egressProxy.whenUp(new AbortController().signal);
  });

  it('ends the wait for the proxy with its signal', async () => {
    await proxy.stop();
    const end = new AbortController();
    const waiting = egressProxy.whenUp(end.signal);
    end.abort();
    await waiting;
    await proxy.start();
  });
});

describe('the setting of the egress proxy', () => {
  it('is the URL of a host over http without a path', () => {
    for (const text of [
      'proxy:3128',
      'https://proxy:3128',
      'http://proxy:3128/path',
      'http://proxy:3128?a=b',
      'http://a:%zz@proxy:3128',
      'socks5://proxy:1080',
    ]) {
      expect(egressProxySetting.safeParse(text).success, text).to.equal(false);
    }
  });

  it('may be an IPv6 address, and has port 80 by default', () => {
    expect(egressProxySetting.parse('http://[::1]')).to.deep.equal({
      host: '::1',
      port: 80,
      authorization: null,
    });
  });
});
