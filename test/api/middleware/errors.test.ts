import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect } from 'chai';
import Koa from 'koa';

import type { RequestState } from '../../../api/http/context.js';
import { createErrorMapping, createRequestIds } from '../../../api/middleware/observability.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { createLogger } from '../../../shared/core/logger.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { call, errorOf, refusalOf } from '../support/client.js';

describe('the mapping of exceptions to responses', () => {
  let thrown: Error;
  let server: Server;
  let address: string;
  before((done) => {
    const koa = new Koa<RequestState>();
    koa.use(createRequestIds(createIdentifiers(Math.random), () => new Date(), {}));
    koa.use(createErrorMapping(createLogger({ role: 'test', level: 'silent', isTerminal: false })));
    koa.use(() => Promise.reject(thrown));
    const handle = koa.callback();
    server = createServer((request, response) => void handle(request, response));
    server.listen(0, '127.0.0.1', () => {
      address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      done();
    });
  });
  after((done) => {
    server.close(done);
  });

  const failures = [
    new Error('password=hunter2 at mongodb://internal:27017'),
    new TypeError('x is not a function'),
    Object.assign(new Error('I expose myself'), { status: 404, expose: true }),
  ];
  for (const failure of failures) {
    it(`maps ${String(failure)} to a 500 that hides the message`, async () => {
      thrown = failure;
      const response = await call(address, '/');
      expect([refusalOf(response), errorOf(response).message]).to.deep.equal([
        '500 internal_error',
        'An internal error occurred. Retry the request. If the error persists, report the request id.',
      ]);
    });
  }

  it('maps the unavailability of a server to a 503 that states when to retry', async () => {
    thrown = new UnavailableError('the log is unavailable', { retryAfterSeconds: 7 });
    const response = await call(address, '/');
    expect([refusalOf(response), response.headers['retry-after']]).to.deep.equal([
      '503 service_unavailable',
      '7',
    ]);
  });

  for (const [given, expected] of [
    [0, '1'],
    [0.2, '1'],
    [1.5, '2'],
  ] as const) {
    it(`rounds ${given} seconds up to whole ones, at least one`, async () => {
      thrown = new UnavailableError('the log is unavailable', { retryAfterSeconds: given });
      expect((await call(address, '/')).headers['retry-after']).to.equal(expected);
    });
  }

  it('retains the request id', async () => {
    thrown = new Error('x');
    const response = await call(address, '/');
    expect(errorOf(response).requestId).to.equal(response.headers['request-id']);
  });
});
