import { expect } from 'chai';

import { createAccount, type CreatedAccount, type NewAccount } from '../../../cli/accounts/createAccount.js';
import type { RunningRole } from '../../../shared/runtime/role.js';
import { startTestRedis, type TestRedis } from '../../shared/store/redis/redisServer.js';
import { eventually } from '../../support/eventually.js';
import { sharedService, type SharedService } from '../../support/service.js';
import { startAnotherApi } from '../support/anotherApi.js';
import { call, createClient, errorOf, refusalOf, type Client, type Response } from '../support/client.js';

type Plan = Pick<NewAccount, 'plan' | 'requestsPerSecond'>;

const free: Plan = { plan: 'free', requestsPerSecond: 10 };
const pro: Plan = { plan: 'pro', requestsPerSecond: 100 };
const enterprise: Plan = { plan: 'enterprise', requestsPerSecond: 2500 };

const clock = () => new Date();

function openAccount(service: SharedService, plan: Plan): Promise<CreatedAccount> {
  const account = { name: 'Test', email: 'test@example.com', ...plan };
  return service.withStores(({ commands }) => createAccount(commands, account, clock()));
}

function send(times: number, client: Client): Promise<readonly Response[]> {
  return Promise.all(Array.from({ length: times }, () => client.get('/v1/webhooks')));
}

function statusesOf(responses: readonly Response[]): readonly number[] {
  return responses.map(({ status }) => status).toSorted();
}

const tenAllowed = Array.from({ length: 10 }, () => 200);

/**
 * The result of requests that fall into one second of the rate limit, which the first request begins. On a slow machine they are
 * repeated with the clients of another `begin`.
 */
function inOneSecond<Clients, Result>(
  begin: () => Promise<Clients>,
  work: (clients: Clients) => Promise<Result>,
): Promise<Result> {
  return eventually('requests within a second', async () => {
    const clients = await begin();
    const startedAt = performance.now();
    const result = await work(clients);
    return performance.now() - startedAt < 1000 ? result : null;
  });
}

describe('the rate limit', () => {
  let service: SharedService;
  let other: RunningRole;
  before(async () => {
    service = await sharedService();
    other = await startAnotherApi(service);
  });

  const open = async (plan: Plan) => {
    const { liveKey, testKey } = await openAccount(service, plan);
    return {
      live: createClient(service.address, liveKey),
      test: createClient(service.address, testKey),
      elsewhere: createClient(other.address, liveKey),
    };
  };

  /** The result of requests by an account that has exhausted its live requests of the present second. */
  const whenUsedUp = <Result>(
    work: (clients: Awaited<ReturnType<typeof open>>) => Promise<Result>,
  ): Promise<Result> =>
    inOneSecond(
      () => open(free),
      async (clients) => {
        await send(10, clients.live);
        return work(clients);
      },
    );

  it('shows an account the limit of its plan and the remaining requests', async () => {
    for (const [plan, policy, left] of [
      [free, '"free";q=10;w=1', '"free";r=9;t=1'],
      [pro, '"pro";q=100;w=1', '"pro";r=99;t=1'],
      [enterprise, '"enterprise";q=2500;w=1', '"enterprise";r=2499;t=1'],
    ] as const) {
      const { headers } = await (await open(plan)).live.get('/v1/webhooks');
      expect([headers['ratelimit-policy'], headers['ratelimit']]).to.deep.equal([policy, left]);
    }
  });

  it('counts down with each request, also with those that fail', async () => {
    const responses = await inOneSecond(
      () => open(free),
      async ({ live }) => [
        await live.get('/v1/webhooks'),
        await live.postJson('/v1/events', {}),
        await live.get('/v1/events/evt_1'),
        await live.post('/v1/events', '{}', { 'content-type': 'text/plain' }),
      ],
    );
    expect(responses.map(({ status, headers }) => [status, headers['ratelimit']])).to.deep.equal([
      [200, '"free";r=9;t=1'],
      [400, '"free";r=8;t=1'],
      [404, '"free";r=7;t=1'],
      [415, '"free";r=6;t=1'],
    ]);
  });

  it('is not shown if the account of a request is unknown', async () => {
    const { headers } = await call(service.address, '/v1/webhooks');
    expect([headers['ratelimit-policy'], headers['ratelimit']]).to.deep.equal([undefined, undefined]);
  });

  it('answers 429 to requests beyond the limit, and states when to retry', async () => {
    const refused = await whenUsedUp(({ live }) => live.get('/v1/webhooks'));
    const { headers } = refused;
    expect([refusalOf(refused), errorOf(refused).type]).to.deep.equal([
      '429 rate_limit_exceeded',
      'rate_limit_error',
    ]);
    expect([headers['retry-after'], headers['ratelimit-policy'], headers['ratelimit']]).to.deep.equal([
      '1',
      '"free";q=10;w=1',
      '"free";r=0;t=1',
    ]);
  });

  const batch = (count: number) => ({
    events: Array.from({ length: count }, () => ({ type: 'a', data: {} })),
  });

  it('counts a batch as one request for each ten events that it begins', async () => {
    const responses = await inOneSecond(
      () => open(free),
      async ({ live }) => {
        const batches: Response[] = [];
        for (const count of [1, 10, 11, 55]) {
          batches.push(await live.postJson('/v1/events/batch', batch(count)));
        }
        return [...batches, await live.get('/v1/webhooks')];
      },
    );
    expect(responses.map(({ status, headers }) => [status, headers['ratelimit']])).to.deep.equal([
      [200, '"free";r=9;t=1'],
      [200, '"free";r=8;t=1'],
      [200, '"free";r=6;t=1'],
      [200, '"free";r=0;t=1'],
      [429, '"free";r=0;t=1'],
    ]);
  });

  it('admits a batch if a request is left, which exhausts the limit', async () => {
    const [response, next] = await inOneSecond(
      () => open(free),
      async ({ live, elsewhere }) => {
        await send(9, live);
        return [
          await elsewhere.postJson('/v1/events/batch', batch(500)),
          await live.postJson('/v1/events/batch', batch(1)),
        ] as const;
      },
    );
    expect([response.status, response.headers['ratelimit'], next.status]).to.deep.equal([
      200,
      '"free";r=0;t=1',
      429,
    ]);
  });

  it('is shared by all processes', async () => {
    const responses = await inOneSecond(
      () => open(free),
      ({ live, elsewhere }) => Promise.all([send(20, live), send(20, elsewhere)]),
    );
    expect(statusesOf(responses.flat()).filter((status) => status === 200)).to.have.length(10);
  });

  it('is checked after route and method, before body and parameters, and separately for each mode', async () => {
    const responses = await whenUsedUp(({ live, test }) =>
      Promise.all([
        live.get('/v1/nothing'),
        live.delete('/v1/webhooks'),
        live.post('/v1/events', 'no JSON'),
        live.get('/v1/events?x=1'),
        test.get('/v1/webhooks'),
      ]),
    );
    expect(responses.map(({ status }) => status)).to.deep.equal([404, 405, 429, 429, 200]);
  });

  it('does not apply to health, readiness and metrics', async () => {
    const responses = await Promise.all(Array.from({ length: 30 }, () => call(service.address, '/healthz')));
    expect(new Set(statusesOf(responses))).to.deep.equal(new Set([200]));
  });
});

describe('the rate limit while Redis is unavailable', () => {
  let service: SharedService;
  let redis: TestRedis;
  let api: RunningRole;
  before(async () => {
    service = await sharedService();
    redis = await startTestRedis();
    api = await startAnotherApi(service, redis.url);
    await redis.server.kill();
  });
  const openClient = async () => createClient(api.address, (await openAccount(service, free)).liveKey);
  /** A slow machine may need more than the two seconds that each of the other checks has. */
  const isReady = (address: string) =>
    eventually('readiness', async () => ((await call(address, '/readyz')).status === 200 ? true : null));

  it('allows as many requests as the plan, and no more', async () => {
    const responses = await inOneSecond(openClient, (fresh) => send(12, fresh));
    expect(statusesOf(responses)).to.deep.equal([...tenAllowed, 429, 429]);
  });

  it('is shown with the remaining requests, and allows events to be posted', async () => {
    const client = await openClient();
    const read = await client.get('/v1/webhooks');
    const posted = await client.postJson('/v1/events', { type: 'a', data: {} });
    expect([read.headers['ratelimit'], posted.status]).to.deep.equal(['"free";r=9;t=1', 201]);
  });

  it('leaves the API ready, and allows another API process to start', async () => {
    const another = await startAnotherApi(service, redis.url);
    try {
      await isReady(api.address);
      await isReady(another.address);
    } finally {
      await another.stop();
    }
  });
});
