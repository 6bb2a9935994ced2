import type { Socket } from 'node:net';

import { expect } from 'chai';

import { createEgressProxy } from '../../../consumers/egress/egressProxy.js';
import {
  createHttpAttempt,
  type AttemptSettings,
  type HttpAttempt,
} from '../../../consumers/http/httpAttempt.js';
import { createAccessTokens } from '../../../consumers/oauth/accessTokens.js';
import { createRequestToken } from '../../../consumers/oauth/requestToken.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { createLogger } from '../../../shared/core/logger.js';
import type { OAuthClient } from '../../../shared/domain/webhooks/authentication.js';
import { egressProxySetting } from '../../../shared/settings/egressProxy.js';
import { startConnectProxy } from '../../support/connectProxy.js';
import { closeAtEndOfFile } from '../../support/fileResources.js';
import { requestHeaders, settings } from '../http/deliveries.js';
import { flood, startReceiver, type Answer } from '../http/receiver.js';

const planted = 'planted secret:with/signs+%&~';
const client: OAuthClient = {
  type: 'oauth2_client_credentials',
  tokenUrl: 'http://127.0.0.1/',
  clientId: 'shop é',
  clientSecret: planted,
};

type Dependencies = Parameters<typeof createHttpAttempt>[1];

function openHttp(changed: Partial<AttemptSettings> = {}, dependencies: Dependencies = {}): HttpAttempt {
  const http = createHttpAttempt({ ...settings, ...changed }, dependencies);
  closeAtEndOfFile(http.close);
  return http;
}

async function tokenServer(answer: Answer, listening = {}) {
  const server = await startReceiver(answer, listening);
  closeAtEndOfFile(server.close);
  return server;
}

function answering(status: string, text: string, more = ''): Answer {
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${more}`;
  return (socket: Socket) =>
    socket.write(`${head}content-length: ${String(Buffer.byteLength(text))}\r\n\r\n${text}`);
}

const issued = { access_token: 'token-1|abc', token_type: 'bearer', expires_in: 60 };
const issue = (changed: object = {}) => answering('200 OK', JSON.stringify({ ...issued, ...changed }));

describe('a request for a token', () => {
  const http = openHttp();
  const requestAt = (url: string, changed: Partial<OAuthClient> = {}, timeoutMs = 5_000) =>
    createRequestToken(http.post)({ ...client, tokenUrl: url, ...changed }, timeoutMs);

  it('has the credentials in the header, encoded as RFC 6749 requires', async () => {
    const server = await tokenServer(issue());
    const token = await requestAt(`${server.url}oauth/token?tenant=1`);

    expect(token).to.deep.equal({ value: 'token-1|abc', lifeMs: 60_000 });
    const [request = ''] = server.requests;
    const encoded = 'shop+%C3%A9:planted+secret%3Awith%2Fsigns%2B%25%26%7E';
    expect(request.split('\r\n')[0]).to.equal('POST /oauth/token?tenant=1 HTTP/1.1');
    expect(request.split('\r\n\r\n')[1]).to.equal('grant_type=client_credentials');
    expect(requestHeaders(request)).to.include({
      authorization: `Basic ${Buffer.from(encoded).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
      accept: 'application/json',
    });
  });

  it('has the credentials in the body if the client is configured so, and the scope and the audience', async () => {
    const server = await tokenServer(issue());
    const options = {
      scope: 'events:write b',
      audience: 'https://shop',
      clientAuthentication: 'body',
    } as const;
    await requestAt(server.url, options);

    const [request = ''] = server.requests;
    expect(requestHeaders(request)).not.to.have.property('authorization');
    expect(Object.fromEntries(new URLSearchParams(request.split('\r\n\r\n')[1]))).to.deep.equal({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: planted,
      scope: options.scope,
      audience: options.audience,
    });
  });

  const answers: readonly (readonly [string, Answer, string])[] = [
    [
      'a known error',
      answering('401 Unauthorized', '{"error":"invalid_client"}', 'www-authenticate: Basic\r\n'),
      'The token server answered with 401: invalid_client',
    ],
    [
      'an error that repeats the secret',
      answering('400 Bad Request', JSON.stringify({ error: planted, error_description: planted })),
      'The token server answered with 400',
    ],
    ['a 500', answering('500 Oops', planted), 'The token server answered with 500'],
    ['a redirect', answering('302 Found', '', 'location: /b\r\n'), 'The token server answered with 302'],
    [
      'no content',
      (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
      'The token server answered with 204',
    ],
    ['a reset', (socket) => socket.resetAndDestroy(), 'The connection to the token server failed'],
  ];
  for (const [what, answer, message] of answers) {
    it(`fails with auth_failed after ${what}`, async () => {
      const server = await tokenServer(answer);

      expect(await requestAt(server.url)).to.deep.equal({ code: 'auth_failed', message });
      expect(server.requests).to.have.lengthOf(1);
    });
  }

  const unusable: readonly (readonly [string, Answer])[] = [
    ['broken JSON', answering('200 OK', `{"access_token":"${planted}`)],
    ['no object', answering('200 OK', '[]')],
    ['no token', issue({ access_token: undefined })],
    ['a token of another type', issue({ token_type: 'dpop' })],
    ['a token with a line break', issue({ access_token: 'a\r\nx-b: c' })],
    ['a token that is too long', issue({ access_token: 'a'.repeat(8_193) })],
    [
      'a response without end',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        flood(socket, ' ');
      },
    ],
  ];
  for (const [what, answer] of unusable) {
    it(`fails with auth_failed if the server sends ${what}`, async () => {
      const { url } = await tokenServer(answer);
      const message = 'The response of the token server contains no bearer token that a request can carry';

      expect(await requestAt(url)).to.deep.equal({ code: 'auth_failed', message });
    });
  }

  it('fails with auth_failed if the server does not answer in time, or is not there', async () => {
    const server = await tokenServer(() => undefined);
    const late = 'The token server sent no complete response within the time limit';
    const refused = 'The connection to the token server was refused';

    expect(await requestAt(server.url, {}, 100)).to.deep.equal({ code: 'auth_failed', message: late });
    await server.close();
    expect(await requestAt(server.url)).to.deep.equal({ code: 'auth_failed', message: refused });
  });

  it('never reaches an address of the own network, also not by a name', async () => {
    const server = await tokenServer(issue());
    const resolver = { resolve: () => Promise.resolve(['127.0.0.1']), close: () => undefined };
    const guarded = openHttp({ allowPrivateAddresses: false }, { resolver });
    const message = 'The service may not call the address of the token server';
    for (const host of ['127.0.0.1', 'login.example.com']) {
      const tokenUrl = `http://${host}:${String(server.port)}/`;
      const result = await createRequestToken(guarded.post)({ ...client, tokenUrl }, 5_000);

      expect(result).to.deep.equal({ code: 'auth_failed', message });
    }
    expect(server.accepted()).to.equal(0);
  });

  it('goes through the egress proxy, whose faults are not those of the token server', async () => {
    const server = await tokenServer(issue());
    const proxy = await startConnectProxy();
    const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
    const egressProxy = createEgressProxy(egressProxySetting.parse(proxy.url), { logger, probePauseMs: 20 });
    closeAtEndOfFile(egressProxy.close);
    const request = createRequestToken(openHttp({}, { egressProxy }).post);

    expect(await request({ ...client, tokenUrl: server.url }, 5_000)).to.have.property('value');
    expect(proxy.requests.map(({ target }) => target)).to.deep.equal([`127.0.0.1:${String(server.port)}`]);
    proxy.answer(407);
    const another = await tokenServer(issue());
    const failure = await request({ ...client, tokenUrl: another.url }, 5_000).catch(
      (error: unknown) => error,
    );
    expect(failure).to.be.instanceOf(UnavailableError);
  });

  it('is shared by concurrent attempts', async () => {
    const server = await tokenServer(issue());
    const tokens = createAccessTokens({
      requestToken: createRequestToken(http.post),
      now: () => performance.now(),
    });
    const attempts = Array.from({ length: 20 }, () =>
      tokens.obtain('wh_1/0', { ...client, tokenUrl: server.url }, 5_000),
    );

    expect(new Set(await Promise.all(attempts))).to.deep.equal(new Set(['token-1|abc']));
    expect(server.requests).to.have.lengthOf(1);
  });
});
