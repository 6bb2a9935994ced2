import { expect } from 'chai';
import fc from 'fast-check';

import {
  ApiError,
  ConnectionError,
  InvalidRequestError,
  InvalidResponseError,
  Postrider,
  RateLimitError,
  ResponseError,
  TimeoutError,
  type Fetch,
  type PostriderOptions,
} from '../../../clients/typescript/src/index.js';
import { Resources } from '../../../clients/typescript/src/generated/resources.js';
import { configurationOf } from '../../../clients/typescript/src/http/configuration.js';
import { createHttpClient } from '../../../clients/typescript/src/http/httpClient.js';
import { retryDelay } from '../../../clients/typescript/src/http/retries.js';
import { retryAfterOf } from '../../../clients/typescript/src/http/retryAfter.js';
import { rejectionOf } from './rejectionOf.js';

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
  readonly redirect: string;
}

type Step = Response | Error | Fetch;

/** A client whose requests get these answers, one after the other and without pauses, with the list of what it sends. */
function clientWith(steps: readonly Step[], options: PostriderOptions = {}) {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, init) => {
    const { method, headers, redirect } = new Request(url, { ...init, signal: null });
    const step = steps[sent.length];
    sent.push({ url, method, headers, redirect, body: typeof init.body === 'string' ? init.body : '' });
    if (step === undefined || step instanceof Error) {
      throw step ?? new Error('the client has sent too many requests');
    }
    return step instanceof Response ? step : step(url, init);
  };
  const configuration = configurationOf('sk_test_1', {
    baseUrl: 'http://127.0.0.1:9/api/',
    fetch,
    ...options,
  });
  return { postrider: new Resources(createHttpClient(configuration, () => Promise.resolve())), sent };
}

function errorResponse(
  status: number,
  type: string,
  code: string,
  headers: Record<string, string> = {},
): Response {
  const error = { type, code, message: 'Do this.', param: 'type', requestId: 'req_1', future: true };
  return Response.json({ error }, { status, headers });
}

const unavailable = () => errorResponse(503, 'api_error', 'service_unavailable', { 'retry-after': '0' });
const event = { type: 'order.completed', data: {} };

describe('the client', () => {
  it('repeats a call under the same idempotency key, and another call under another one', async () => {
    const { postrider, sent } = clientWith([
      new TypeError('fetch failed'),
      unavailable(),
      Response.json({ id: 'evt_1' }, { status: 201 }),
      Response.json({ id: 'evt_2' }, { status: 201 }),
    ]);
    expect(await postrider.events.create(event)).to.deep.equal({ id: 'evt_1' });
    await postrider.events.create(event);
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(new Set(keys.slice(0, 3)).size).to.equal(1);
    expect(keys[3]).not.to.equal(keys[0]);
    expect(sent[0]).to.include({
      url: 'http://127.0.0.1:9/api/v1/events',
      method: 'POST',
      redirect: 'manual',
    });
    expect(new Set(sent.map(({ body }) => body))).to.deep.equal(new Set([JSON.stringify(event)]));
  });

  it('gives the last error, with the key for another call', async () => {
    const { postrider } = clientWith([unavailable(), new TypeError('fetch failed')], { maxRetries: 1 });
    const error = await rejectionOf(postrider.events.create(event, { idempotencyKey: 'mine' }));
    expect(error).to.be.instanceOf(ConnectionError).and.include({ idempotencyKey: 'mine' });
  });

  it('has an error class for each type, and for types that later versions add', async () => {
    const errorFor = async (response: Response) =>
      rejectionOf(clientWith([response]).postrider.events.retrieve('evt_1', { maxRetries: 0 }));
    expect(await errorFor(errorResponse(404, 'invalid_request_error', 'resource_missing')))
      .to.be.instanceOf(InvalidRequestError)
      .and.include({
        status: 404,
        code: 'resource_missing',
        param: 'type',
        requestId: 'req_1',
        retryAfter: null,
      });
    expect(
      await errorFor(
        errorResponse(429, 'rate_limit_error', 'rate_limit_exceeded', { 'retry-after': '3600' }),
      ),
    )
      .to.be.instanceOf(RateLimitError)
      .and.include({ retryAfter: 3600 });
    expect(await errorFor(errorResponse(402, 'billing_error', 'unpaid'))).to.be.instanceOf(
      InvalidRequestError,
    );
    expect(await errorFor(errorResponse(507, 'storage_error', 'full'))).to.be.instanceOf(ApiError);
  });

  it('recognizes answers of other servers', async () => {
    const errorFor = async (response: Response) =>
      rejectionOf(clientWith([response]).postrider.events.retrieve('evt_1', { maxRetries: 0 }));
    const page = '<html>Bad gateway</html>';
    for (const response of [
      new Response(page, { status: 502 }),
      new Response(page, { status: 403 }),
      new Response(page),
      Response.json(null),
      Response.json(['evt_1']),
      Response.json({ error: 'nope' }, { status: 404 }),
      new Response('{"id":"evt_1","data":{', { status: 200 }),
      new Response(null, { status: 307, headers: { location: 'https://elsewhere.example.com/' } }),
    ]) {
      const { status } = response;
      expect(await errorFor(response))
        .to.be.instanceOf(InvalidResponseError)
        .and.include({ status });
    }
  });

  it('limits the time of an answer, its body included, and obeys the signal of the caller', async () => {
    const hanging = () => new Response(new ReadableStream());
    const { postrider } = clientWith([hanging(), hanging(), hanging(), hanging()]);
    const options = { timeout: 20, maxRetries: 1 };
    expect(await rejectionOf(postrider.account.retrieve(options))).to.be.instanceOf(TimeoutError);
    const reason = new Error('the caller has left');
    expect(await rejectionOf(postrider.account.retrieve({ signal: AbortSignal.abort(reason) }))).to.equal(
      reason,
    );
    const leaving = new AbortController();
    const call = postrider.account.retrieve({ signal: leaving.signal });
    leaving.abort(reason);
    expect(await rejectionOf(call)).to.equal(reason);
  });

  it('counts a deletion whose answer was lost as done', async () => {
    const missing = () => errorResponse(404, 'invalid_request_error', 'resource_missing');
    const lost = clientWith([new TypeError('fetch failed'), missing()]);
    expect(await lost.postrider.webhooks.delete('wh_1')).to.deep.equal({ id: 'wh_1', deleted: true });
    const unknown = clientWith([missing()]);
    expect(await rejectionOf(unknown.postrider.webhooks.delete('wh_1'))).to.be.instanceOf(
      InvalidRequestError,
    );
  });

  it('makes one segment of the path from any id', async () => {
    const { postrider, sent } = clientWith([Response.json({})]);
    await postrider.tenants.retrieve('a/../b?c#d');
    expect(sent[0]?.url).to.equal('http://127.0.0.1:9/api/v1/tenants/a%2F..%2Fb%3Fc%23d');
    for (const id of ['', '.', '..']) {
      expect(await rejectionOf(postrider.webhooks.delete(id))).to.be.instanceOf(TypeError);
    }
  });

  it('selects what has no tenant with null, and refuses null of any other filter', async () => {
    const { postrider, sent } = clientWith([Response.json({ data: [], hasMore: false })]);
    await postrider.events.list({ tenantId: null }).pages().next();
    expect(sent[0]?.url).to.equal('http://127.0.0.1:9/api/v1/events?tenantId=null');
    const untyped = JSON.parse('{"search":null}') as { search: string };
    expect(await rejectionOf(postrider.events.list(untyped).pages().next())).to.be.instanceOf(TypeError);
  });

  it('refuses settings that cannot work, without showing the key', () => {
    const wrong: readonly [string, PostriderOptions][] = [
      ['', {}],
      ['sk_live_secret\n', {}],
      ['sk_live_secret', { baseUrl: 'postrider.example.com' }],
      ['sk_live_secret', { baseUrl: 'https://user@example.com' }],
      ['sk_live_secret', { timeout: 0 }],
      ['sk_live_secret', { maxRetries: -1 }],
    ];
    for (const [key, options] of wrong) {
      expect(() => new Postrider(key, options))
        .to.throw(TypeError)
        .with.property('message')
        .that.does.not.include('secret');
    }
  });
});

describe('the delay of a retry', () => {
  const details = {
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    param: null,
    requestId: null,
    idempotencyKey: null,
  };
  const limited = (retryAfter: number | null) =>
    new RateLimitError('', { ...details, status: 429, retryAfter });
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('is never shorter than the server asks, and an hour is left to the caller', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(20), random, (seconds, retries, chance) => {
        expect(retryDelay(limited(seconds), retries, chance)).to.be.within(seconds * 1000, 75_000);
      }),
    );
    expect(retryDelay(limited(3600), 0)).to.equal(null);
  });

  it('grows by itself, within bounds, and differs between clients', () => {
    fc.assert(
      fc.property(fc.nat(100), random, (retries, chance) => {
        const full = Math.min(500 * 2 ** retries, 8000);
        expect(retryDelay(limited(null), retries, chance)).to.be.within(full / 2, full);
      }),
    );
    expect(retryDelay(limited(null), 0, 0)).to.be.below(retryDelay(limited(null), 0, 0.9) ?? 0);
  });

  it('compares a date with the clock of the server', () => {
    const headers = { date: 'Tue, 15 Nov 1994 08:12:31 GMT', 'retry-after': 'Tue, 15 Nov 1994 08:12:34 GMT' };
    expect(retryAfterOf(new Headers(headers))).to.equal(3);
    expect(retryAfterOf(new Headers({ 'retry-after': 'soon' }))).to.equal(null);
    expect(
      retryAfterOf(new Headers({ ...headers, 'retry-after': 'Tue, 15 Nov 1994 08:12:30 GMT' })),
    ).to.equal(0);
  });

  it('is none after a final error', () => {
    expect(retryDelay(new ResponseError('', { ...details, status: 422, retryAfter: null }), 0)).to.equal(
      null,
    );
    expect(retryDelay(new TypeError('no id'), 0)).to.equal(null);
  });
});
