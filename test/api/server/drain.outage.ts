import { expect } from 'chai';

import { eventually } from '../../support/eventually.js';
import { closeAtEndOfFile } from '../../support/fileResources.js';
import { startRoleProcess, type RoleProcess } from '../../support/roleProcess.js';
import { startService, type TestService } from '../../support/service.js';
import { call } from '../support/client.js';
import { openStream } from '../support/eventStream.js';
import { startLoadBalancer, type LoadBalancer } from '../support/loadBalancer.js';

const requestsPerSecond = 500;
const drainDelay = '5s';

/** The API limits the waiting requests of an account. Only a machine that is too slow reaches this number. */
const mostUnanswered = 100;

/** One of this number of requests posts an event. The others read, because two cores also run everything else. */
const requestsPerEvent = 10;

/** Requests at a constant rate. */
function startRequests({ send }: LoadBalancer, headers: Readonly<Record<string, string>>) {
  const results = new Map<number | string, number>();
  const unanswered = new Set<Promise<void>>();
  const startedAt = performance.now();
  let sent = 0;

  const sendOne = async () => {
    const isEvent = sent % requestsPerEvent === 0;
    const result = isEvent
      ? await send({ method: 'POST', path: '/v1/events', headers }, '{"type":"drained","data":{}}')
      : await send({ path: '/v1/account', headers });
    results.set(result, (results.get(result) ?? 0) + 1);
  };
  const timer = setInterval(() => {
    for (; sent < ((performance.now() - startedAt) * requestsPerSecond) / 1000; sent += 1) {
      if (unanswered.size >= mostUnanswered) {
        continue;
      }
      const sending = sendOne().finally(() => unanswered.delete(sending));
      unanswered.add(sending);
    }
  }, 10);

  return {
    /** @returns how many requests had each status or error */
    stop: async () => {
      clearInterval(timer);
      await Promise.all(unanswered);
      return results;
    },
  };
}

describe('an API process that gets a stop signal', () => {
  let service: TestService;
  let authorization: string;
  before(async () => {
    service = await startService({ POSTRIDER_DRAIN_DELAY: drainDelay }, ['projections']);
    authorization = `Bearer ${(await service.createAccount()).liveKey}`;
  });

  const startApi = async (): Promise<RoleProcess> => {
    const api = await startRoleProcess('api', service.settings);
    await eventually('the API is ready', async () =>
      (await call(api.address, '/readyz')).status === 200 ? true : null,
    );
    return api;
  };

  it(`fails no request of a load balancer, at ${requestsPerSecond} a second, while two processes are replaced`, async () => {
    const balancer = startLoadBalancer();
    closeAtEndOfFile(balancer.stop);
    const old = await Promise.all([startApi(), startApi()]);
    await Promise.all(old.map(({ address }) => balancer.add(address)));
    const requests = startRequests(balancer, { authorization, 'content-type': 'application/json' });
    const codes: (number | null)[] = [];
    for (const process of old) {
      const { address } = await startApi();
      await balancer.add(address);
      codes.push(await process.stop());
    }
    const results = await requests.stop();
    expect(Object.fromEntries(results)).to.have.all.keys('200', '201');
    expect(codes).to.deep.equal([0, 0]);
  });

  it('is unready at once, continues to serve, and ends its streams and itself after the drain delay', async () => {
    const { address, stop } = await startApi();
    const stream = await openStream(address, { authorization });
    let hasEnded = false;
    const ended = stop().finally(() => {
      hasEnded = true;
    });
    const unready = await eventually('readiness ends', async () => {
      const response = await call(address, '/readyz');
      // The checks of a request before the signal may end after it. They are part of that response.
      return response.status === 503 && !response.text.includes('"kafka"') ? response : null;
    });
    expect(JSON.parse(unready.text)).to.deep.equal({ ready: false, checks: { running: 'stopping' } });
    const another = await openStream(address, { authorization });
    const read = await call(address, '/v1/webhooks', {
      headers: { authorization, connection: 'keep-alive' },
    });
    expect([read.status, read.headers.connection, stream.status, another.status]).to.deep.equal([
      200,
      'close',
      200,
      200,
    ]);
    expect(hasEnded, 'the process ends before the drain delay').to.equal(false);
    expect([await stream.ended, await another.ended, await ended]).to.deep.equal(['complete', 'complete', 0]);
  });
});
