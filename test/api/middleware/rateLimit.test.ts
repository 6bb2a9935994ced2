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
  after(() => other.stop());

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

  for (const [plan, policy, left] of [
    [free, '"free";q=10;w=1', '"free";r=9;t=1'],
    [pro, '"pro";q=100;w=1', '"pro";r=99;t=1'],
    [enterprise, '"enterprise";q=2500;w=1', '"enterprise";r=2499;t=1'],
  ] as const) {
    it(`shows an account on the plan ${plan.plan} its limit and the remaining requests`, async () => {
      const { headers } = await (await open(plan)).live.get('/v1/webhooks');
      expect([headers['ratelimit-policy'], headers['ratelimit']]).to.deep.equal([policy, left]);
    });
  }

  it('counts down with each request', async () => {
    const second = await inOneSecond(
      () => open(free),
      async ({ live }) => {
        await live.get('/v1/webhooks');
        return live.get('/v1/webhooks');
      },
    );
    expect(second.headers['ratelimit']).to.equal('"free";r=8;t=1');
  });

  const failures: Readonly<Record<number, (client: Client) => Promise<Response>>> = {
    400: (client) => client.postJson('/v1/events', {}),
    404: (client) => client.get('/v1/events/evt_1'),
    415: (client) => client.post('/v1/events', '{}', { 'content-type': 'text/plain' }),
  };
  for (const [status, fail] of Object.entries(failures)) {
    it(`is shown in a ${status} too`, async () => {
      const response = await fail((await open(free)).live);
      expect([String(response.status), response.headers['ratelimit']]).to.deep.equal([
        status,
        '"free";r=9;t=1',
      ]);
    });
  }

  it('is not shown if the account of a request is unknown', async () => {
    const { headers } = await call(service.address, '/v1/webhooks');
    expect([headers['ratelimit-policy'], headers['ratelimit']]).to.deep.equal([undefined, undefined]);
  });

  it('answers 429 to requests beyond the limit', async () => {
    const refused = await whenUsedUp(({ live }) => live.get('/v1/webhooks'));
    expect(refusalOf(refused)).to.equal('429 rate_limit_exceeded');
  });

  it('rejects a request with the error type rate_limit_error', async () => {
    const refused = await whenUsedUp(({ live }) => live.get('/v1/webhooks'));
    expect(errorOf(refused).type).to.equal('rate_limit_error');
  });

  it('states in a 429 when to retry, and that no requests remain', async () => {
    const { headers } = await whenUsedUp(({ live }) => live.get('/v1/webhooks'));
    expect([headers['retry-after'], headers['ratelimit-policy'], headers['ratelimit']]).to.deep.equal([
      '1',
      '"free";q=10;w=1',
      '"free";r=0;t=1',
    ]);
  });

  it('allows requests again in the next second', async () => {
    const refused = await whenUsedUp(async ({ live }) => ({ live, last: await live.get('/v1/webhooks') }));
    expect(refused.last.status).to.equal(429);
    await eventually('a request is answered', async () =>
      (await refused.live.get('/v1/webhooks')).status === 200 ? true : null,
    );
  });

  const batch = (count: number) => ({
    events: Array.from({ length: count }, () => ({ type: 'a', data: {} })),
  });

  for (const [count, left] of [
    [1, 9],
    [10, 9],
    [11, 8],
    [95, 0],
  ] as const) {
    it(`counts a batch of ${count} events as ${10 - left} requests`, async () => {
      const [response, next] = await inOneSecond(
        () => open(free),
        async ({ live }) =>
          [await live.postJson('/v1/events/batch', batch(count)), await live.get('/v1/webhooks')] as const,
      );
      expect([response.headers['ratelimit'], next.status]).to.deep.equal([
        `"free";r=${left};t=1`,
        left === 0 ? 429 : 200,
      ]);
    });
  }

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

  for (const plan of [free, pro, { plan: 'enterprise', requestsPerSecond: 37 }] satisfies Plan[]) {
    for (const mode of ['live', 'test'] as const) {
      it(`allows an account on ${plan.plan} its ${plan.requestsPerSecond} ${mode} requests on two processes together`, async () => {
        const { liveKey, testKey } = await openAccount(service, plan);
        const key = mode === 'live' ? liveKey : testKey;
        const clients = [service.address, other.address].map((address) => createClient(address, key));
        const limit = plan.requestsPerSecond;
        const startedAt = performance.now();
        const responses = await Promise.all(clients.map((client) => send(limit, client)));
        // The first request begins the first window: one more for each second that the others took.
        const windows = 1 + Math.floor((performance.now() - startedAt) / 1000);
        const allowed = statusesOf(responses.flat()).filter((status) => status === 200).length;
        expect(allowed).to.be.within(limit, Math.min(windows, 2) * limit);
      });
    }
  }

  it('counts live and test requests separately', async () => {
    const { headers } = await whenUsedUp(({ test }) => test.get('/v1/webhooks'));
    expect(headers['ratelimit']).to.equal('"free";r=9;t=1');
  });

  it('counts each account separately', async () => {
    const accounts = await Promise.all(Array.from({ length: 5 }, () => open(free)));
    const responses = await Promise.all(accounts.map(({ live }) => send(10, live)));
    expect(responses.map(statusesOf)).to.deep.equal(accounts.map(() => tenAllowed));
  });

  it('is checked after route and method', async () => {
    const responses = await whenUsedUp(({ live }) =>
      Promise.all([live.get('/v1/nothing'), live.delete('/v1/webhooks')]),
    );
    expect(responses.map(({ status }) => status)).to.deep.equal([404, 405]);
  });

  it('is checked before body and parameters', async () => {
    const responses = await whenUsedUp(({ live }) =>
      Promise.all([live.post('/v1/events', 'no JSON'), live.get('/v1/events?x=1')]),
    );
    expect(responses.map(({ status }) => status)).to.deep.equal([429, 429]);
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
  let client: Client;
  before(async () => {
    service = await sharedService();
    redis = await startTestRedis();
    api = await startAnotherApi(service, redis.url);
    await redis.server.kill();
  });
  after(async () => {
    await api.stop();
    await redis.stop();
  });
  const openClient = async () => createClient(api.address, (await openAccount(service, free)).liveKey);
  beforeEach(async () => {
    client = await openClient();
  });
  /** A slow machine may need more than the two seconds that each of the other checks has. */
  const isReady = (address: string) =>
    eventually('readiness', async () => ((await call(address, '/readyz')).status === 200 ? true : null));

  it('allows as many requests as the plan, and no more', async () => {
    const responses = await inOneSecond(openClient, (fresh) => send(12, fresh));
    expect(statusesOf(responses)).to.deep.equal([...tenAllowed, 429, 429]);
  });

  it('is shown with the remaining requests', async () => {
    expect((await client.get('/v1/webhooks')).headers['ratelimit']).to.equal('"free";r=9;t=1');
  });

  it('allows events to be posted', async () => {
    expect((await client.postJson('/v1/events', { type: 'a', data: {} })).status).to.equal(201);
  });

  it('leaves the API ready', async () => {
    await isReady(api.address);
  });

  it('allows another API process to start', async () => {
    const another = await startAnotherApi(service, redis.url);
    try {
      await isReady(another.address);
    } finally {
      await another.stop();
    }
  });
});
